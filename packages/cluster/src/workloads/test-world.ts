import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@capstan/flow";
import { simulations } from "../kinds/builtin-kinds.ts";
import { ApiError, type KubeObject, type Objects, type ResourceInfo, type WatchEvent } from "../types.ts";
import { timestamp } from "./controller.ts";
import { startWorkloads, type Workloads } from "./start-workloads.ts";

/** For tests: the simulated controllers over a store in memory, on a clock that only moves when told to. */
export interface World extends Disposable {
  objects: MemoryObjects;
  clock: ManualClock;
  workloads: Workloads;
  signal: AbortSignal;
  /** Lets everything due now happen. */
  settle(): Promise<void>;
  /** Moves the clock on in steps to each time that something waits for. */
  pass(ms: number): Promise<void>;
}

export async function startWorld(
  options: { podReadyDelayMs?: number; objects?: MemoryObjects; clock?: ManualClock } = {},
): Promise<World> {
  const clock = options.clock ?? new ManualClock();
  const objects = options.objects ?? new MemoryObjects(clock);
  const stop = new AbortController();
  const problems: unknown[] = [];
  const workloads = startWorkloads({
    objects,
    clock,
    podReadyDelayMs: options.podReadyDelayMs ?? 100,
    controllers: simulations,
    signal: stop.signal,
    log: (entry) => problems.push(entry),
  });
  const settle = async () => {
    await workloads.idle();
    if (problems.length > 0) throw new Error(`workloads complained: ${JSON.stringify(problems)}`);
  };
  await settle();
  return {
    objects,
    clock,
    workloads,
    settle,
    signal: stop.signal,
    async pass(ms) {
      await settle();
      const until = clock.now() + ms;
      for (let steps = 0; steps < 10_000 && clock.moveTowards(until); steps++) await settle();
    },
    [Symbol.dispose]: () => stop.abort(new Error("the test is over")),
  };
}

export class ManualClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  /** To the next time that someone sleeps for, at most; answers whether there was any way left to go. */
  moveTowards(until: number): boolean {
    const times = [...this.#sleepers].map(({ at }) => at).filter((at) => at <= until);
    const next = Math.min(until, ...times);
    if (next === this.#now && times.length === 0) return false;
    this.#now = Math.max(this.#now, next);
    for (const sleeper of this.#sleepers) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    return true;
  }
}

type Listener = (event: WatchEvent) => void;

/** The least that the workloads need of the store: versions, generations, owners, graceful deletion of Pods. */
export class MemoryObjects implements Objects {
  readonly #clock: Clock;
  readonly #byType = new Map<string, Map<string, KubeObject>>();
  readonly #byOwner = new Map<string, Map<string, { type: string; object: KubeObject }>>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #version = 0;
  #pending: { type: string; event: WatchEvent }[] = [];
  #flush: Promise<void> | undefined;
  writes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get<T extends KubeObject>(type: string, namespace: string, name: string): T | undefined;
  get(type: string, namespace: string, name: string): KubeObject | undefined {
    return this.#byType.get(type)?.get(`${namespace}/${name}`);
  }

  list<T extends KubeObject>(type: string, namespace?: string): readonly T[];
  list(type: string, namespace?: string): readonly KubeObject[] {
    const all = [...(this.#byType.get(type)?.values() ?? [])];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  namesOf(type: string): readonly { namespace: string; name: string }[] {
    const all = this.list(type).map(({ metadata }) => metadata);
    const sorted = all.sort((left, right) => Number(left.resourceVersion) - Number(right.resourceVersion));
    return sorted.map(({ namespace = "", name = "" }) => ({ namespace, name }));
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])].map(({ object }) => object);
  }

  create<T extends KubeObject>(type: string, object: T): Promise<T>;
  async create(type: string, object: KubeObject): Promise<KubeObject> {
    const { name = `${object.metadata.generateName}${randomUUID().slice(0, 5)}`, namespace = "" } =
      object.metadata;
    if (this.get(type, namespace, name))
      throw new ApiError(409, "AlreadyExists", `${type} "${name}" already exists`);
    const { status: _status, ...rest } = object;
    const created = {
      ...rest,
      metadata: {
        ...object.metadata,
        name,
        uid: randomUUID(),
        generation: 1,
        creationTimestamp: timestamp(this.#clock.now()),
      },
    };
    return this.#put(type, "ADDED", created);
  }

  update<T extends KubeObject>(type: string, object: T, subresource?: "status" | "binding"): Promise<T>;
  async update(type: string, object: KubeObject, subresource?: "status" | "binding"): Promise<KubeObject> {
    const { namespace = "", name = "", resourceVersion } = object.metadata;
    const known = this.get(type, namespace, name);
    if (!known) throw new ApiError(404, "NotFound", `${type} "${name}" not found`);
    if (known.metadata.resourceVersion !== resourceVersion)
      throw new ApiError(409, "Conflict", `${type} "${name}" changed`);
    const next = subresource === "status" ? withStatusOf(known, object) : { ...object, status: known.status };
    const changes = "spec" in next && !isDeepStrictEqual(next.spec, known.spec);
    const generation = (known.metadata.generation ?? 1) + Number(changes);
    const updated = { ...next, metadata: { ...next.metadata, generation } };
    const isReleased = known.metadata.deletionTimestamp && (updated.metadata.finalizers ?? []).length === 0;
    return isReleased && type !== "/pods"
      ? this.#remove(type, updated)
      : this.#put(type, "MODIFIED", updated);
  }

  async delete(...[type, namespace, name, options = {}]: Parameters<Objects["delete"]>): Promise<void> {
    const known = this.get(type, namespace, name);
    if (!known || (options.uid !== undefined && known.metadata.uid !== options.uid)) {
      throw new ApiError(404, "NotFound", `${type} "${name}" not found`);
    }
    const isGraceful = type === "/pods" && options.gracePeriodSeconds !== 0;
    if (isGraceful || (known.metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = timestamp(this.#clock.now());
      const metadata = {
        ...known.metadata,
        deletionTimestamp,
        deletionGracePeriodSeconds: isGraceful ? 30 : 0,
      };
      await this.#put(type, "MODIFIED", { ...known, metadata });
      return;
    }
    const dependents = [...(this.#byOwner.get(known.metadata.uid ?? "")?.values() ?? [])];
    await this.#remove(type, known);
    for (const { type: kind, object } of dependents) {
      await this.delete(kind, object.metadata.namespace ?? "", object.metadata.name ?? "");
    }
  }

  subscribe(type: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  resources(): readonly ResourceInfo[] {
    return [];
  }

  async #put(type: string, change: "ADDED" | "MODIFIED", object: KubeObject): Promise<KubeObject> {
    const stored = this.#stamp(object);
    const { namespace = "", name = "" } = stored.metadata;
    const before = this.get(type, namespace, name);
    const objects = this.#byType.get(type) ?? new Map();
    this.#byType.set(type, objects.set(`${namespace}/${name}`, stored));
    if (before) this.#disown(before);
    for (const { uid } of stored.metadata.ownerReferences ?? []) {
      const owned = this.#byOwner.get(uid) ?? new Map();
      this.#byOwner.set(uid, owned.set(stored.metadata.uid, { type, object: stored }));
    }
    await this.#tell(type, { type: change, object: stored });
    return stored;
  }

  async #remove(type: string, object: KubeObject): Promise<KubeObject> {
    const { namespace = "", name = "" } = object.metadata;
    this.#byType.get(type)?.delete(`${namespace}/${name}`);
    this.#disown(object);
    const last = this.#stamp(object);
    await this.#tell(type, { type: "DELETED", object: last });
    return last;
  }

  #disown(object: KubeObject): void {
    for (const { uid } of object.metadata.ownerReferences ?? [])
      this.#byOwner.get(uid)?.delete(object.metadata.uid ?? "");
  }

  #stamp(object: KubeObject): KubeObject {
    this.writes += 1;
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    return freeze(structuredClone({ ...object, metadata }));
  }

  /** Listeners hear of changes together and later, as from the real store after a commit. */
  async #tell(type: string, event: WatchEvent): Promise<void> {
    this.#pending.push({ type, event });
    this.#flush ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      const events = this.#pending;
      this.#pending = [];
      this.#flush = undefined;
      for (const told of events)
        for (const listener of this.#listeners.get(told.type) ?? []) listener(told.event);
    });
    await this.#flush;
  }
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const field of Object.values(value)) freeze(field);
  return Object.freeze(value);
}

/** As an update of /status: annotations come along, labels and spec do not (kubernetes deploymentStatusStrategy). */
function withStatusOf(known: KubeObject, { metadata, status }: KubeObject): KubeObject {
  const { annotations, ...rest } = known.metadata;
  const told = metadata.annotations ?? annotations;
  return { ...known, metadata: { ...rest, ...(told && { annotations: told }) }, status };
}
