import type { Clock } from "@capstan/flow";
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { type AskProvider, readObject, unavailable } from "./provider-request.ts";

/** A provider has a few, and some for times to come. */
const maxKeys = 100;
/** Whoever sends tokens of made-up keys has them asked for no more often than that. */
const pauseMs = 30_000;

interface Needs {
  readonly ask: AskProvider;
  readonly url: string;
  readonly clock: Clock;
}

/** The provider's published keys, asked for again where a token names one that is not among them. */
export class ProviderKeys {
  readonly #needs: Needs;
  #known: { find: JWTVerifyGetKey; atMs: number } | undefined;
  #asking: Promise<JWTVerifyGetKey> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    const now = this.#needs.clock.now();
    const known = this.#known ?? { find: await this.#ask(), atMs: now };
    try {
      return await known.find(header, token);
    } catch (error) {
      const isRotated = error instanceof errors.JWKSNoMatchingKey && now - known.atMs >= pauseMs;
      if (!isRotated) throw error;
      return (await this.#ask())(header, token);
    }
  };

  #ask(): Promise<JWTVerifyGetKey> {
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #fetch(): Promise<JWTVerifyGetKey> {
    const { ask, url, clock } = this.#needs;
    // Many may wait for it: whoever asked first may go away meanwhile.
    const answer = await ask({ method: "GET", url, signal: AbortSignal.timeout(pauseMs) });
    if (answer.status !== 200) throw unavailable(url, `it answered ${answer.status} instead of its keys`);
    const { keys } = readObject(answer, url);
    if (!Array.isArray(keys)) throw unavailable(url, "it answered without keys");
    if (keys.length > maxKeys) throw unavailable(url, `it publishes more than ${maxKeys} keys`);
    const find = createLocalJWKSet({ keys });
    this.#known = { find, atMs: clock.now() };
    return find;
  }
}
