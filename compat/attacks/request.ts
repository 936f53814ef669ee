import assert from "node:assert/strict";
import type { AttackWorld, Places, Who } from "./attack.ts";

/** A request that must be refused. */
export interface RefusedRequest {
  readonly who: Who;
  readonly method: string;
  readonly path: (at: Places) => string;
  readonly body?: (at: Places) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of the refusal; more than one where both are right. */
  readonly status: readonly number[];
  /** What the answer says. */
  readonly says?: RegExp;
}

/** Sends it, and looks for harm. */
export function asks(request: RefusedRequest): (world: AttackWorld) => Promise<void> {
  return async (world) => {
    const { who, method, path, body, headers, status, says } = request;
    const answer = await world.ask(who, `${method} ${path(world.at)}`, {
      ...(body ? { body: body(world.at) } : {}),
      ...(headers ? { headers } : {}),
    });
    const text = JSON.stringify(answer.body);
    assert.ok(status.includes(answer.status), `${method} answered ${answer.status}: ${text}`);
    if (says) assert.match(text, says);
    await world.assertUnharmed([text]);
  };
}
