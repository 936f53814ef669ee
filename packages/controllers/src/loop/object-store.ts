import { type Clock, Listeners } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import {
  followObjects,
  isNewer,
  isSameVersion,
  type KubeClient,
  type KubeLog,
  type ListQuery,
  RecentSet,
  takeOver,
} from "@capstan/kube";
import type { Manifest } from "@capstan/model";

export interface StoreInput<T extends Manifest> {
  client: KubeClient;
  query: ListQuery;
  is(object: Manifest): object is T;
  clock: Clock;
  log: KubeLog;
}

export interface StoreChange<T> {
  key: string;
  previous: T | undefined;
  current: T | undefined;
}

const maxEnded = 1000;

/** The objects of one kind, as watched and as we ourselves last wrote them, whichever is newer. */
export class ObjectStore<T extends Manifest> implements AsyncDisposable {
  readonly #input: StoreInput<T>;
  readonly #objects = new Map<string, T>();
  readonly #listeners: Listeners<[StoreChange<T>]>;
  /** Uids of deleted objects. */
  readonly #ended = new RecentSet(maxEnded);
  readonly #stop = new AbortController();
  readonly #listed = Promise.withResolvers<void>();
  readonly #done: Promise<void>;

  constructor(input: StoreInput<T>) {
    this.#input = input;
    this.#listeners = new Listeners((error) =>
      input.log.warn({ error, kind: input.query.kind }, "what follows a change failed"),
    );
    this.#done = followObjects({
      client: input.client,
      query: input.query,
      clock: input.clock,
      log: input.log,
      signal: this.#stop.signal,
      follower: {
        replaceAll: (objects) => this.#replaceAll(objects),
        changed: (object) => this.#watched(object),
        deleted: (object) => {
          this.#ended.add(object.metadata.uid ?? "");
          this.#gone(storeKey(object));
        },
        problem: () => undefined,
      },
    });
  }

  async ready(): Promise<void> {
    await this.#listed.promise;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  all(): IterableIterator<T> {
    return this.#objects.values();
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  onChange(listener: (change: StoreChange<T>) => void): void {
    this.#listeners.add(listener);
  }

  /** Takes in the answer to a write of our own; no listener is told, for the writer knows. */
  wrote(object: Manifest): T | undefined {
    // The watch may have told of the object's end before the answer to our write came.
    if (!this.#input.is(object) || this.#ended.has(object.metadata.uid ?? "")) return undefined;
    const key = storeKey(object);
    const known = this.#objects.get(key);
    if (known && !isNewer(object, known)) return known;
    return this.#set(key, object, known);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#listed.resolve();
    await this.#done;
  }

  #replaceAll(objects: readonly Manifest[]): void {
    const present = new Set(objects.map(storeKey));
    for (const key of this.keys()) if (!present.has(key)) this.#gone(key);
    for (const object of objects) this.#watched(object);
    this.#listed.resolve();
  }

  #watched(object: Manifest): void {
    const key = storeKey(object);
    const previous = this.#objects.get(key);
    if (!this.#input.is(object)) return;
    // Of what we wrote ourselves the watch tells as well: that needs no second look, but others hold that very object.
    if (previous && isSameVersion(object, previous)) this.#set(key, object, previous);
    if (previous && !isNewer(object, previous)) return;
    this.#tell({ key, previous, current: this.#set(key, object, previous) });
  }

  /** A spec that says the same stays the same value, so that what was found out of it still holds. */
  #set(key: string, object: T, known: T | undefined): T {
    if (known) takeOver(object, known);
    const isOther = known?.spec !== undefined && known.spec !== object.spec;
    const isSame = isOther && equalJson(known.spec, object.spec);
    const kept = isSame ? { ...object, spec: known.spec } : object;
    this.#objects.set(key, kept);
    return kept;
  }

  #gone(key: string): void {
    const previous = this.#objects.get(key);
    if (!previous) return;
    this.#objects.delete(key);
    this.#tell({ key, previous, current: undefined });
  }

  #tell(change: StoreChange<T>): void {
    this.#listeners.tell(change);
  }
}

export function storeKey({ metadata }: Manifest): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
