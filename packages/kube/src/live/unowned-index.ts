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
  readonly #places = new Map<string, Map<string, Set<Entry>>>();

  add(entry: Entry): void {
    const place = placeOf(entry);
    if (place === undefined) return;
    const instances = this.#places.get(place) ?? new Map<string, Set<Entry>>();
    this.#places.set(place, instances);
    const instance = entry.app ?? "";
    const entries = instances.get(instance) ?? new Set<Entry>();
    instances.set(instance, entries.add(entry));
  }

  remove(entry: Entry): void {
    const place = placeOf(entry);
    const instances = place === undefined ? undefined : this.#places.get(place);
    const instance = entry.app ?? "";
    const entries = instances?.get(instance);
    if (place === undefined || !instances || !entries?.delete(entry)) return;
    if (entries.size === 0) instances.delete(instance);
    if (instances.size === 0) this.#places.delete(place);
  }

  /** Those of a namespace that name no application, or one that is not there. */
  *of(namespace: string, isApplication: (instance: string) => boolean): Iterable<Entry> {
    for (const [instance, entries] of this.#places.get(namespace) ?? [])
      if (instance === "" || !isApplication(instance)) yield* entries;
  }
}

function placeOf({ owners, manifest }: UnownedEntry): string | undefined {
  return owners.length > 0 ? undefined : manifest.metadata.namespace || undefined;
}
