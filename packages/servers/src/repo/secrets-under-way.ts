import { type SecretStores, storesFor } from "@capstan/model";
import type { ManifestRequest, SecretRef } from "@capstan/wire";

/**
 * Which Secrets of the cluster the renders under way may have: asked here too, where the right to read them is,
 * because the process that renders holds whatever repositories say.
 */
export class SecretsUnderWay {
  readonly #readers = new Set<SecretStores>();
  readonly #fallback: string;

  /** `fallback`: what applications may read whose project says nothing. */
  constructor(fallback: string) {
    this.#fallback = fallback;
  }

  async during<Value>(request: ManifestRequest, work: () => Promise<Value>): Promise<Value> {
    const reader = storesFor(request, this.#fallback);
    this.#readers.add(reader);
    try {
      return await work();
    } finally {
      this.#readers.delete(reader);
    }
  }

  /** Throws where no render under way may have it. */
  require({ namespace, name }: SecretRef): void {
    const path = `${namespace}/${name}`;
    for (const reader of this.#readers) if (reader.permits("kubernetes", path)) return;
    throw new Error(`no application that is rendered now may read Secret ${namespace}:${name}`);
  }
}
