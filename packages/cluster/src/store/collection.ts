import type { Entry } from "./entry.ts";

interface Bucket {
  entries: Map<string, Entry>;
  sorted: readonly string[] | undefined;
}

/** All objects of one type, in etcd's key order: by namespace, then name. */
export class Collection {
  readonly #buckets = new Map<string, Bucket>();
  #namespaces: readonly string[] | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): Entry | undefined {
    return this.#buckets.get(namespace)?.entries.get(name);
  }

  set(entry: Entry): void {
    let bucket = this.#buckets.get(entry.namespace);
    if (bucket === undefined) {
      bucket = { entries: new Map(), sorted: undefined };
      this.#buckets.set(entry.namespace, bucket);
      this.#namespaces = undefined;
    }
    if (!bucket.entries.has(entry.name)) {
      bucket.sorted = undefined;
      this.#size += 1;
    }
    bucket.entries.set(entry.name, entry);
  }

  delete(entry: Entry): void {
    const bucket = this.#buckets.get(entry.namespace);
    if (!bucket?.entries.delete(entry.name)) return;
    bucket.sorted = undefined;
    this.#size -= 1;
    if (bucket.entries.size > 0) return;
    this.#buckets.delete(entry.namespace);
    this.#namespaces = undefined;
  }

  list(namespace?: string): Entry[] {
    if (namespace !== undefined) return sortedEntries(this.#buckets.get(namespace));
    this.#namespaces ??= [...this.#buckets.keys()].sort(byteOrder);
    return this.#namespaces.flatMap((name) => sortedEntries(this.#buckets.get(name)));
  }
}

function sortedEntries(bucket: Bucket | undefined): Entry[] {
  if (bucket === undefined) return [];
  bucket.sorted ??= [...bucket.entries.keys()].sort(byteOrder);
  const entries: Entry[] = [];
  for (const name of bucket.sorted) {
    const entry = bucket.entries.get(name);
    if (entry) entries.push(entry);
  }
  return entries;
}

export function byteOrder(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
