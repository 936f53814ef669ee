import type { Clock } from "@capstan/flow";
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { type AskProvider, readObject, unavailable } from "./provider-request.ts";

/** A provider has a few, and some for times to come. */
const maxKeys = 100;
/** Whoever sends tokens of made-up keys has them asked for no more often than that, whatever came of it. */
const pauseMs = 30_000;
/** Where there are none yet: a provider that was away is soon believed again. */
const failedPauseMs = 5_000;

interface Needs {
  readonly ask: AskProvider;
  readonly url: string;
  readonly clock: Clock;
}

/** The provider's published keys, asked for again where a token names one that is not among them. */
export class ProviderKeys {
  readonly #needs: Needs;
  #known: JWTVerifyGetKey | undefined;
  #asking: Promise<JWTVerifyGetKey> | undefined;
  #last: { atMs: number; failure?: unknown } | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = this.#known ?? (await this.#ask());
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#wasAskedWithin(pauseMs)) throw error;
      return (await this.#ask())(header, token);
    }
  };

  #wasAskedWithin(ms: number): boolean {
    return this.#last !== undefined && this.#needs.clock.now() - this.#last.atMs < ms;
  }

  async #ask(): Promise<JWTVerifyGetKey> {
    if (this.#last?.failure !== undefined && this.#wasAskedWithin(failedPauseMs)) throw this.#last.failure;
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = undefined;
    });
    try {
      this.#known = await this.#asking;
      this.#last = { atMs: this.#needs.clock.now() };
      return this.#known;
    } catch (failure) {
      this.#last = { atMs: this.#needs.clock.now(), failure };
      throw failure;
    }
  }

  async #fetch(): Promise<JWTVerifyGetKey> {
    const { ask, url } = this.#needs;
    // Many may wait for it: whoever asked first may go away meanwhile.
    const answer = await ask({ method: "GET", url, signal: AbortSignal.timeout(pauseMs) });
    if (answer.status !== 200) throw unavailable(url, `it answered ${answer.status} instead of its keys`);
    const { keys } = readObject(answer, url);
    if (!Array.isArray(keys)) throw unavailable(url, "it answered without keys");
    if (keys.length > maxKeys) throw unavailable(url, `it publishes more than ${maxKeys} keys`);
    return createLocalJWKSet({ keys });
  }
}
