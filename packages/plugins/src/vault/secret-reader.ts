import type { Backend, SecretData } from "./backends/backend.ts";
import type { SecretQuery } from "./replace-placeholders.ts";

/** Asks once for each secret of a render, however many placeholders want it. */
export class SecretReader {
  readonly #backend: Backend;
  readonly #signal: AbortSignal;
  readonly #secrets = new Map<string, Promise<SecretData | undefined>>();
  readonly #values = new Map<string, Promise<unknown>>();

  constructor(backend: Backend, signal: AbortSignal) {
    this.#backend = backend;
    this.#signal = signal;
  }

  async read({ key, isWhole, ...address }: SecretQuery): Promise<unknown> {
    const { readKey } = this.#backend;
    if (readKey && !isWhole)
      return once(this.#values, [address, key], () => readKey(address, key, this.#signal));
    const data = await once(this.#secrets, [address], () => this.#backend.read(address, this.#signal));
    // A key may lack its value (remove-missing); a secret that is not there is a mistake, as for argocd-vault-plugin.
    if (!data) throw new Error("there is no such secret");
    return Object.hasOwn(data, key) ? data[key] : undefined;
  }
}

function once<T>(known: Map<string, Promise<T>>, of: readonly unknown[], ask: () => Promise<T>): Promise<T> {
  const name = JSON.stringify(of);
  const earlier = known.get(name);
  if (earlier) return earlier;
  const asked = ask();
  known.set(name, asked);
  return asked;
}
