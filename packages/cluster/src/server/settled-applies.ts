import { hash } from "node:crypto";
import type { World } from "../objects/world.ts";
import type { Served } from "../registry/served.ts";
import type { Entry } from "../store/entry.ts";
import type { ResourceCall } from "./call.ts";

/** An apply of what is there, of which nothing but that has a say in the outcome. */
export interface RepeatableApply {
  readonly live: Entry;
  readonly served: Served;
  /** A digest of all that the outcome is made of, beside the object. The namespace and the name are the object's. */
  readonly request: string;
}

/**
 * The last apply that found its object as it wants it, without a word to the client, by the version that it found: the
 * same request finds it so again, whoever sends it, as long as nobody else has a say in it.
 */
const settled = new WeakMap<Entry, Pick<RepeatableApply, "served" | "request">>();

/** Undefined where the object is to be made, and where policies or webhooks see what is applied. */
export function repeatableApply(world: World, call: ResourceCall): RepeatableApply | undefined {
  const { served, namespace, name, query, subresource, request } = call;
  const live = world.store.get(served.type, namespace, name);
  if (live === undefined || world.admission.isAwaited()) return undefined;
  const text = `${subresource}\n${query}\n${request.body ?? ""}`;
  return { live, served, request: hash("sha256", text, "base64") };
}

export function isSettled({ live, served, request }: RepeatableApply): boolean {
  const last = settled.get(live);
  return last?.request === request && last.served === served;
}

export function settle({ live, served, request }: RepeatableApply): void {
  settled.set(live, { served, request });
}
