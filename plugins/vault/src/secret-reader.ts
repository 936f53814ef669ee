import { Limiter } from "@capstan/flow";
import type { Backend, SecretData } from "./backends/backend.ts";
import type { SecretQuery } from "./replace-placeholders.ts";

/** Of one render: stores limit how often they are asked, and hundreds of connections are slower than a few. */
const maxAtOnce = 16;

/** Asks once for each secret of a render, however many placeholders want it. */
export class SecretReader {
  readonly #backend: Backend;
  readonly #signal: AbortSignal;
  readonly #secrets = new Map<string, Promise<SecretData | undefined>>();
  readonly #values = new Map<string, Promise<unknown>>();
  readonly #limiter = new Limiter({ atOnce: maxAtOnce });

  constructor(backend: Backend, signal: AbortSignal) {
    this.#backend = backend;
    this.#signal = signal;
  }

  async read({ key, isWhole, ...address }: SecretQuery): Promise<unknown> {
    const { readKey } = this.#backend;
    if (readKey && !isWhole)
      return this.#once(this.#values, [address, key], () => readKey(address, key, this.#signal));
    const ask = () => this.#backend.read(address, this.#signal);
    const data = await this.#once(this.#secrets, [address], ask);
    // A key may lack its value (remove-missing); a secret that is not there is a mistake, as for argocd-vault-plugin.
    if (!data) throw new Error("there is no such secret");
    return Object.hasOwn(data, key) ? data[key] : undefined;
  }

  #once<T>(known: Map<string, Promise<T>>, of: readonly unknown[], ask: () => Promise<T>): Promise<T> {
    const name = JSON.stringify(of);
    const earlier = known.get(name);
    if (earlier) return earlier;
    const asked = this.#limiter.run(ask, this.#signal);
    known.set(name, asked);
    return asked;
  }
}
