import { ValuesByKey } from "@capstan/flow";
import type { Manifest } from "@capstan/model";

/** What of an object decides whether it stands by itself in its namespace. */
export interface UnownedEntry {
  readonly manifest: Manifest;
  readonly app: string | undefined;
  readonly owners: readonly unknown[];
}

/**
 * Objects without an owner, by their namespace and by the application instance that they name. Those of one
 * application are skipped together, so that a look at a namespace costs what no application has.
 */
export class UnownedIndex<Entry extends UnownedEntry> {
  readonly #places = new Map<string, ValuesByKey<Entry>>();

  add(entry: Entry): void {
    const place = placeOf(entry);
    if (place === undefined) return;
    const instances = this.#places.get(place) ?? new ValuesByKey<Entry>();
    this.#places.set(place, instances);
    instances.add(entry.app ?? "", entry);
  }

  remove(entry: Entry): void {
    const place = placeOf(entry);
    const instances = place === undefined ? undefined : this.#places.get(place);
    if (place === undefined || !instances) return;
    instances.remove(entry.app ?? "", entry);
    if (instances.size === 0) this.#places.delete(place);
  }

  /** Those of a namespace that name no application, or one that is not there. */
  *of(namespace: string, isApplication: (instance: string) => boolean): Iterable<Entry> {
    const instances = this.#places.get(namespace);
    if (!instances) return;
    for (const instance of instances.keys())
      if (instance === "" || !isApplication(instance)) yield* instances.of(instance);
  }
}

function placeOf({ owners, manifest }: UnownedEntry): string | undefined {
  return owners.length > 0 ? undefined : manifest.metadata.namespace || undefined;
}
