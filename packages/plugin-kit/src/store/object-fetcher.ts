import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import type { ObjectStore } from "./object-store.ts";
import { gitId, isDirectory, type TreeObject } from "./tree-object.ts";

export interface FetcherOptions {
  readonly store: ObjectStore;
  /** The caller's project: objects without a verified id are kept apart by it. */
  readonly scope: string;
  /** Asks the caller for objects; they come by `arrived` and `refused`. */
  readonly want: (ids: readonly string[]) => Promise<void>;
  readonly maxBytes: number;
  readonly clock: Clock;
}

interface Waiting {
  readonly format: string;
  /** For other runs: only where the content is what the id says. */
  readonly verified: PromiseWithResolvers<TreeObject>;
  readonly promise: Promise<TreeObject>;
  readonly resolve: (object: TreeObject) => void;
  readonly reject: (error: unknown) => void;
}

const wantAtOnce = 1_000;
/** How long a run relies on the caller of another one for an object that both lack. */
const relyMs = 1_000;

/** The objects of one run: from the store, else asked of the caller, those of one moment in one message. */
export class ObjectFetcher {
  readonly #options: FetcherOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #pieces = new Map<string, Buffer[]>();
  #asked: string[] = [];
  #failure: unknown;
  receivedBytes = 0;
  receivedObjects = 0;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  async get(id: string, format: string): Promise<TreeObject> {
    const { store } = this.#options;
    const known = store.get(this.#verifiedKey(id, format)) ?? store.get(this.#ownKey(id));
    if (known) return known;
    if (this.#failure !== undefined) throw this.#failure;
    const waiting = this.#waiting.get(id) ?? this.#ask(id, format);
    return waiting.promise;
  }

  /** One object, or a piece of it. */
  arrived(id: string, object: TreeObject, more: boolean): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (isDirectory(object)) {
      this.#finish(id, waiting, object);
      return;
    }
    this.receivedBytes += object.length;
    const { maxBytes: limitBytes } = this.#options;
    if (this.receivedBytes > limitBytes) {
      const bytes = this.receivedBytes;
      this.fail(new CapstanError({ code: "TREE_TOO_LARGE", path: ".", bytes, limitBytes }));
      return;
    }
    const pieces = [...(this.#pieces.get(id) ?? []), object];
    if (more) {
      this.#pieces.set(id, pieces);
      return;
    }
    this.#pieces.delete(id);
    this.#finish(id, waiting, pieces.length === 1 ? object : Buffer.concat(pieces));
  }

  refused(id: string, problem: string): void {
    const error = new CapstanError({
      code: "FILE_MISSING",
      file: `object ${id}`,
      neededBy: `the plugin: ${problem}`,
    });
    const waiting = this.#waiting.get(id);
    if (waiting) rejectWaiting(waiting, error);
    this.#waiting.delete(id);
  }

  /** Ends every wait, also later ones. */
  fail(error: unknown): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.values()) rejectWaiting(waiting, error);
    this.#waiting.clear();
  }

  #finish(id: string, waiting: Waiting, object: TreeObject): void {
    const { store } = this.#options;
    this.#waiting.delete(id);
    this.receivedObjects++;
    const isTrue = gitId(object, waiting.format) === id;
    if (!isTrue && !isDirectory(object) && waiting.format !== "") {
      const problem = "its content has another id";
      rejectWaiting(waiting, new CapstanError({ code: "INVALID_ARGUMENT", field: `object ${id}`, problem }));
      return;
    }
    // A directory may come with simplified modes and so another id: good for this caller, not for others.
    store.put(isTrue ? this.#verifiedKey(id, waiting.format) : this.#ownKey(id), object);
    waiting.resolve(object);
    if (isTrue) waiting.verified.resolve(object);
    else waiting.verified.reject(new Error("only good for its own run"));
  }

  #verifiedKey(id: string, format: string): string {
    return `${format}:${id}`;
  }

  #ownKey(id: string): string {
    return `own:${this.#options.scope}:${id}`;
  }

  #ask(id: string, format: string): Waiting {
    const verified = Promise.withResolvers<TreeObject>();
    const waiting: Waiting = { format, verified, ...Promise.withResolvers<TreeObject>() };
    waiting.promise.catch(() => undefined);
    verified.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    const { store } = this.#options;
    const key = this.#verifiedKey(id, format);
    const coming = format === "" ? undefined : store.coming(key);
    if (coming) void this.#rely(id, waiting, coming);
    else {
      store.expect(key, verified.promise);
      this.#want(id);
    }
    return waiting;
  }

  /** Another run has asked its caller for the same: asked once is enough, unless that takes long or fails. */
  async #rely(id: string, waiting: Waiting, coming: Promise<TreeObject>): Promise<void> {
    const over = new AbortController();
    const late = this.#options.clock.sleep(relyMs, over.signal).then(() => undefined);
    const object = await Promise.race([coming, late]).catch(() => undefined);
    over.abort(new Error("no longer waited for"));
    late.catch(() => undefined);
    if (this.#waiting.get(id) !== waiting) return;
    if (object === undefined) {
      this.#want(id);
      return;
    }
    this.#waiting.delete(id);
    waiting.resolve(object);
    waiting.verified.resolve(object);
  }

  #want(id: string): void {
    if (this.#asked.push(id) === 1) setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      for (let at = 0; at < asked.length; at += wantAtOnce)
        await this.#options.want(asked.slice(at, at + wantAtOnce));
    } catch (error) {
      this.fail(error);
    }
  }
}

function rejectWaiting({ reject, verified }: Waiting, error: unknown): void {
  reject(error);
  verified.reject(error);
}
