import type { JsonObject } from "../schema/json.ts";

/** What a webhook answered. */
export interface Verdict {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  readonly patch: readonly JsonObject[] | undefined;
  readonly warnings: readonly string[];
}

/** What became of a call. `unreachable`: nothing real stands behind the address. */
export type Answer = Verdict | { readonly failure: string } | "unreachable";

/** What webhooks have answered in one request, by what they were asked. */
export class WebhookAnswers {
  readonly #known = new Map<string, Answer>();

  get(key: string): Answer | undefined {
    return this.#known.get(key);
  }

  set(key: string, answer: Answer): void {
    this.#known.set(key, answer);
  }
}
