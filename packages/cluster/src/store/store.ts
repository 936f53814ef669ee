import { ValuesByKey } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import { ApiError, type KubeObject } from "../types.ts";
import { Collection } from "./collection.ts";
import { Database } from "./database.ts";
import { Entry } from "./entry.ts";
import { EventLog, type EventLogLimits, type StoreEvent } from "./event-log.ts";

export const maxObjectCharacters = 1_572_864; // etcd's default limit for one request, 1.5 MiB

export interface StoreOptions {
  file: string;
  eventLog?: EventLogLimits;
  /** A subscriber that throws must not stop the others. */
  onListenerError: (error: unknown) => void;
}

type Listener = (event: StoreEvent) => void;

/**
 * Every object in a file, and in memory which there are and what is news. A write changes memory at once; what it caused may be told to others
 * only after flushed(), which covers all writes of this turn of the event loop in one transaction.
 */
export class Store implements Disposable {
  readonly #database: Database;
  readonly #log: EventLog;
  readonly #collections = new Map<string, Collection>();
  readonly #byUid = new Map<string, Entry>();
  readonly #dependents = new ValuesByKey<Entry>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onListenerError: (error: unknown) => void;
  #revision: number;
  #committed: number;
  #nextRow = 1;
  #pending: StoreEvent[] = [];
  #flush: PromiseWithResolvers<ApiError | undefined> | undefined;
  #timer: NodeJS.Immediate | undefined;

  constructor(options: StoreOptions) {
    this.#onListenerError = options.onListenerError;
    this.#database = new Database(options.file);
    this.#revision = Number(this.#database.fact("revision") ?? "0");
    for (const entry of this.#database.entries()) {
      this.#set(entry, undefined);
      this.#nextRow = entry.row + 1;
    }
    this.#committed = this.#revision;
    const limits = options.eventLog ?? { events: 20_000, characters: 8_000_000 };
    this.#log = new EventLog(this.#revision, limits, ({ kind, entry }) => {
      if (kind !== "DELETED") entry.leaveToFile(this.#database.texts);
    });
  }

  get revision(): number {
    return this.#revision;
  }

  /** Everything up to here has been told to subscribers. */
  get committedRevision(): number {
    return this.#committed;
  }

  get(type: string, namespace: string, name: string): Entry | undefined {
    return this.#collections.get(type)?.get(namespace, name);
  }

  list(type: string, namespace?: string): Entry[] {
    return this.#collections.get(type)?.list(namespace) ?? [];
  }

  count(type: string): number {
    return this.#collections.get(type)?.size ?? 0;
  }

  types(): string[] {
    return [...this.#collections.keys()];
  }

  byUid(uid: string): Entry | undefined {
    return this.#byUid.get(uid);
  }

  ownedBy(uid: string): Entry[] {
    return [...this.#dependents.of(uid)];
  }

  /** The objects of a type as they were at a revision; undefined when that is out of the event log's reach. */
  listAt(type: string, revision: number): Entry[] | undefined {
    const since = this.#log.since(type, revision);
    if (since === undefined) return undefined;
    const later = [
      ...since,
      ...this.#pending.filter(({ entry }) => entry.type === type && entry.revision > revision),
    ];
    if (later.length === 0) return this.list(type);
    const past = new Collection();
    for (const entry of this.list(type)) past.set(entry);
    for (const { entry, previous } of later.reverse())
      if (previous === undefined) past.delete(entry);
      else past.set(previous);
    return past.list();
  }

  /** Committed changes of a type after a revision; undefined when some are forgotten. */
  eventsSince(type: string, revision: number): readonly StoreEvent[] | undefined {
    return this.#log.since(type, revision);
  }

  /** `previous` is the version that the change was made from: another one in its place is a conflict. */
  put(type: string, object: KubeObject, previous: Entry | undefined): Entry {
    const { namespace = "", name = "", uid = "", ownerReferences = [] } = object.metadata;
    if (this.get(type, namespace, name) !== previous)
      throw new ApiError(
        409,
        "Conflict",
        `Operation cannot be fulfilled on ${type} "${name}": the object has been modified`,
      );
    const revision = this.#revision + 1;
    const stored = stamp(object, revision);
    const text = stringifyJson(stored);
    if (text.length > maxObjectCharacters)
      throw new ApiError(
        413,
        "RequestEntityTooLarge",
        `Request entity too large: limit is ${maxObjectCharacters}`,
      );
    const row = previous?.row ?? this.#nextRow++;
    const owners = ownerReferences.map((owner) => owner.uid);
    const entry = new Entry({ row, type, namespace, name, uid, revision, owners, text }, stored);
    this.#change({ kind: previous === undefined ? "ADDED" : "MODIFIED", entry, previous });
    return entry;
  }

  /** `last` is the state that watchers see in the DELETED event. */
  remove(previous: Entry, last: KubeObject = previous.object): Entry {
    const { type, namespace, name, uid, row, owners } = previous;
    const revision = this.#revision + 1;
    const stored = stamp(last, revision);
    const entry = new Entry(
      { row, type, namespace, name, uid, revision, owners, text: stringifyJson(stored) },
      stored,
    );
    this.#change({ kind: "DELETED", entry, previous });
    return entry;
  }

  /** Resolves when all writes so far are in the file; with the error, when they could not be and are undone. */
  flushed(): Promise<ApiError | undefined> {
    return this.#flush?.promise ?? Promise.resolve(undefined);
  }

  /** What `compute` reads may include writes of this turn: its result leaves only once they are in the file. */
  async read<T>(compute: () => T): Promise<T> {
    for (;;) {
      const result = compute();
      if (this.#flush === undefined || (await this.#flush.promise) === undefined) return result;
    }
  }

  /** Called after each commit, once per change, in order. `type` "*" means all types. */
  subscribe(type: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Small texts beside the objects, written at once. */
  fact(name: string): string | undefined {
    return this.#database.fact(name);
  }

  setFact(name: string, value: string): void {
    this.#database.setFact(name, value);
  }

  limitPages(pages: number): void {
    this.#database.limitPages(pages);
  }

  [Symbol.dispose](): void {
    if (this.#timer !== undefined) clearImmediate(this.#timer);
    this.#commit();
    this.#database[Symbol.dispose]();
  }

  #change(event: StoreEvent): void {
    const { kind, entry, previous } = event;
    this.#revision = entry.revision;
    if (kind === "DELETED") this.#unset(entry, previous);
    else this.#set(entry, previous);
    this.#pending.push(event);
    if (this.#flush !== undefined) return;
    this.#flush = Promise.withResolvers();
    this.#timer = setImmediate(() => this.#commit());
  }

  #commit(): void {
    const events = this.#pending;
    const flush = this.#flush;
    this.#pending = [];
    this.#flush = undefined;
    if (events.length === 0) return;
    try {
      this.#database.commit(events, this.#revision);
    } catch (error) {
      this.#undo(events);
      flush?.resolve(refusal(error));
      return;
    }
    this.#committed = this.#revision;
    for (const event of events) {
      this.#log.push(event);
      this.#tell(event);
      // Only now: selectors of watches look at both versions.
      event.previous?.becomePast();
    }
    flush?.resolve(undefined);
  }

  #undo(events: StoreEvent[]): void {
    for (const { entry, previous } of events.reverse()) {
      previous?.takeBack();
      if (previous === undefined) this.#unset(entry, undefined);
      else this.#set(previous, entry);
    }
  }

  #tell(event: StoreEvent): void {
    for (const type of [event.entry.type, "*"])
      for (const listener of this.#listeners.get(type) ?? [])
        try {
          listener(event);
        } catch (error) {
          this.#onListenerError(error);
        }
  }

  #set(entry: Entry, replaced: Entry | undefined): void {
    const collection = this.#collections.get(entry.type) ?? new Collection();
    this.#collections.set(entry.type, collection);
    collection.set(entry);
    this.#byUid.set(entry.uid, entry);
    if (replaced) for (const owner of replaced.owners) this.#dependents.remove(owner, replaced);
    for (const owner of entry.owners) this.#dependents.add(owner, entry);
  }

  #unset(entry: Entry, replaced: Entry | undefined): void {
    this.#collections.get(entry.type)?.delete(entry);
    this.#byUid.delete(entry.uid);
    const last = replaced ?? entry;
    for (const owner of last.owners) this.#dependents.remove(owner, last);
  }
}

function stamp(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function refusal(error: unknown): ApiError {
  const cause = error instanceof Error ? error.message : String(error);
  const full = /full/i.test(cause);
  return new ApiError(
    full ? 507 : 500,
    "InternalError",
    full
      ? "the change was not stored: the disk that holds the cluster's data is full; free some space and try again"
      : `the change was not stored: ${cause}`,
  );
}
