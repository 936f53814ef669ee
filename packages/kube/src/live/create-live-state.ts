import { Listeners, orAborted } from "@capstan/flow";
import { CapstanError, groupOf, keyOf, type Manifest, type ResourceKey, versionOf } from "@capstan/model";
import type { ApiResource } from "../client/api-resource.ts";
import { isAlwaysExcluded } from "./excluded-kinds.ts";
import { holdOnce } from "./held-once.ts";
import { isNewer } from "./is-newer.ts";
import { KindRefresh } from "./kind-refresh.ts";
import { KindWatch } from "./kind-watch.ts";
import type { LiveChange, LiveState } from "./live-state.ts";
import type { LiveStateOptions } from "./live-state-options.ts";
import { type InstanceOf, ObjectIndex } from "./object-index.ts";
import { shapeOf } from "./served-shape.ts";

type Start = { kind: "starting" } | { kind: "ready" } | { kind: "failed"; error: unknown };

const retryMs = 5_000;

/** Starts watching every listable and watchable kind of a cluster. */
export function createLiveState(options: LiveStateOptions): LiveState {
  return new WatchedState(options);
}

class WatchedState implements LiveState {
  readonly #options: LiveStateOptions;
  readonly #index: ObjectIndex;
  readonly #once: ReturnType<typeof holdOnce>;
  readonly #listeners: Listeners<[LiveChange]>;
  readonly #watches = new Map<string, KindWatch>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #firstOutcome = Promise.withResolvers<void>();
  #start: Start = { kind: "starting" };
  readonly #kindRefresh: KindRefresh;

  constructor(options: LiveStateOptions) {
    this.#options = options;
    this.#listeners = new Listeners((error) =>
      options.log.warn({ error }, "what follows a change in the cluster failed"),
    );
    this.#index = new ObjectIndex(options.instanceOf);
    this.#once = holdOnce(options.client, this.#index, options);
    const { client, clock, log } = options;
    this.#kindRefresh = new KindRefresh({
      ...{ clock, log, signal: this.#stop.signal },
      refresh: async () => {
        await this.refreshKinds(this.#stop.signal);
        return client.discovery.known();
      },
      definitions: () => this.#index.ofKind("apiextensions.k8s.io", "CustomResourceDefinition"),
    });
    this.#running = this.#run();
  }

  async ready(signal: AbortSignal): Promise<void> {
    if (this.#start.kind === "starting") await orAborted(this.#firstOutcome.promise, signal);
    if (this.#start.kind === "failed") throw this.#start.error;
  }

  get(key: ResourceKey): Manifest | undefined {
    return this.#index.get(key);
  }

  byUid(uid: string): Manifest | undefined {
    return this.#index.byUid(uid);
  }

  ofKind(group: string, kind: string): readonly Manifest[] {
    return this.#index.ofKind(group, kind);
  }

  managedBy(app: string): readonly Manifest[] {
    return this.#index.managedBy(app);
  }

  unownedIn(namespace: string, isApplication: (instance: string) => boolean): readonly Manifest[] {
    return this.#index.unownedIn(namespace, isApplication);
  }

  podsOn(node: string): readonly Manifest[] {
    return this.#index.podsOn(node);
  }

  children(uid: string): readonly Manifest[] {
    return this.#index.children(uid);
  }

  appsOf(object: Manifest): readonly string[] {
    return this.#index.appsOf(object);
  }

  observe(object: Manifest): void {
    const watch = this.#watches.get(kindId({ group: groupOf(object.apiVersion), kind: object.kind }));
    // In another version it is the same object in other words, which the watch must bring.
    if (watch?.row.version === versionOf(object.apiVersion)) watch.observe(object);
  }

  forget(key: ResourceKey, uid: string): void {
    if (this.get(key)?.metadata.uid === uid) this.#watches.get(kindId(key))?.forget(key, uid);
  }

  onChange(listener: (change: LiveChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  unreadable(kind: { group: string; kind: string }): string | undefined {
    return this.#watches.get(kindId(kind))?.unreadable;
  }

  isLeftAlone(kind: { group: string; kind: string }): boolean {
    return this.#watches.get(kindId(kind))?.isLeftAlone ?? false;
  }

  listVersions(kind: { group: string; kind: string }): readonly string[] {
    return [...(this.#watches.get(kindId(kind))?.listVersions.values() ?? [])];
  }

  kinds(): readonly ApiResource[] {
    return Array.from(this.#watches.values(), (watch) => watch.row);
  }

  async refreshKinds(signal: AbortSignal): Promise<void> {
    await this.#options.client.discovery.refresh(signal);
    await this.#followKinds(signal);
  }

  reindex(instanceOf: InstanceOf): void {
    this.#index.reindex(instanceOf);
  }

  stats(): ReturnType<LiveState["stats"]> {
    const problems: { kind: string; problem: string }[] = [];
    for (const { row, problem } of this.#watches.values()) {
      if (problem !== undefined) problems.push({ kind: `${row.kind}.${row.group}`, problem });
    }
    const events = Array.from(this.#watches.values(), ({ row: { group, kind }, events: count }) => ({
      group,
      kind,
      count,
    }));
    return { objects: this.#index.size, kinds: this.#watches.size, problems, events };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#start = { kind: "failed", error: closedFailure() };
    this.#firstOutcome.resolve();
    await this.#running;
    await Promise.all(Array.from(this.#watches.values(), (watch) => watch.stop()));
    await this.#kindRefresh.ended();
    this.#once.leave();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#followKinds(signal);
        if (signal.aborted) return;
        this.#start = { kind: "ready" };
        this.#firstOutcome.resolve();
        this.#kindRefresh.ifBehind(this.#options.client.discovery.known());
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#start = { kind: "failed", error };
        this.#firstOutcome.resolve();
        log.warn({ err: error }, "the cluster cannot be read");
        await clock.sleep(retryMs, signal).catch(() => undefined);
      }
    }
  }

  /** Brings the watches in line with what the cluster serves; new kinds are listed when it returns. */
  async #followKinds(signal: AbortSignal): Promise<void> {
    const rows = await this.#options.client.discovery.resources(signal);
    const wanted = new Map<string, ApiResource>();
    for (const row of rows) if (this.#isWatched(row)) wanted.set(kindId(row), row);
    const ended: Promise<void>[] = [];
    for (const [id, watch] of [...this.#watches]) {
      if (wanted.get(id)?.version !== watch.row.version) ended.push(this.#unfollow(id, watch));
    }
    await Promise.all(ended);
    const fresh: Promise<void>[] = [];
    for (const [id, row] of wanted) {
      if (this.#watches.has(id) || this.#stop.signal.aborted) continue;
      const watch = this.#followKind(row);
      this.#watches.set(id, watch);
      fresh.push(watch.listed);
    }
    await orAborted(Promise.all(fresh), signal);
  }

  #isWatched(row: ApiResource): boolean {
    const { namespaces, clusterResources, isExcluded } = this.#options;
    if (!row.preferred || !row.verbs.includes("list") || !row.verbs.includes("watch")) return false;
    if (namespaces && !row.namespaced && !clusterResources) return false;
    return !isAlwaysExcluded(row) && !isExcluded?.(row);
  }

  #followKind(row: ApiResource): KindWatch {
    const { client, clock, log, namespaces, respectRbac = "off" } = this.#options;
    const definesKinds = row.kind === "CustomResourceDefinition" || row.kind === "APIService";
    return new KindWatch({
      client,
      row,
      namespaces,
      respect: respectRbac,
      clock,
      log,
      changed: (object) => {
        const previous = this.#set(object);
        if (definesKinds && shapeOf(previous) !== shapeOf(object)) this.#refreshSoon();
        return this.#index.get(keyOf(object)) ?? object;
      },
      gone: (key, uid) => {
        const before = definesKinds ? this.#index.get(key) : undefined;
        const isGone = this.#delete(key, uid);
        if (isGone && before) this.#definitionGone(before);
        return isGone;
      },
      held: () => this.#index.ofKind(row.group, row.kind),
      readable: () => {
        for (const object of this.#index.ofKind(row.group, row.kind)) this.#tellAgain(object);
      },
    });
  }

  async #unfollow(id: string, watch: KindWatch): Promise<void> {
    this.#watches.delete(id);
    await watch.stop();
    for (const object of this.#index.ofKind(watch.row.group, watch.row.kind)) this.#delete(keyOf(object));
  }

  #set(told: Manifest): Manifest | undefined {
    const object = this.#once.held(told);
    const before = this.#index.get(keyOf(object));
    if (before && !isNewer(object, before)) return before;
    const appsBefore = before ? this.#index.appsOf(before) : [];
    const managedBefore = before !== undefined && this.#isManaged(before);
    this.#index.set(object);
    if (this.#start.kind !== "ready") return before;
    const apps = union(appsBefore, this.#index.appsOf(object));
    const managed = managedBefore || this.#isManaged(object);
    this.#listeners.tell({ key: keyOf(object), previous: before, current: object, apps, managed });
    return before;
  }

  #delete(key: ResourceKey, uid?: string): boolean {
    const before = this.#index.get(key);
    if (!before || (uid !== undefined && before.metadata.uid !== uid)) return false;
    const apps = this.#index.appsOf(before);
    const managed = this.#isManaged(before);
    this.#index.delete(key);
    if (this.#start.kind === "ready")
      this.#listeners.tell({ key, previous: before, current: undefined, apps, managed });
    return true;
  }

  #isManaged(object: Manifest): boolean {
    return !object.metadata.ownerReferences?.length && this.#index.instanceOf(object) !== undefined;
  }

  /** Nothing of it changed, but what may be said of it. */
  #tellAgain(object: Manifest): void {
    const apps = this.#index.appsOf(object);
    const managed = this.#isManaged(object);
    this.#listeners.tell({ key: keyOf(object), previous: object, current: object, apps, managed });
  }

  #refreshSoon(): void {
    if (this.#start.kind !== "starting") this.#kindRefresh.soon();
  }

  #definitionGone(definition: Manifest): void {
    if (this.#start.kind !== "starting") this.#kindRefresh.gone(definition);
  }
}

function closedFailure(): CapstanError {
  const problem = "its settings changed, and the connection to it is opened anew";
  return new CapstanError({ code: "UNAVAILABLE", what: "the cluster", problem });
}

function kindId({ group, kind }: { group: string; kind: string }): string {
  return `${group}/${kind}`;
}

function union(left: readonly string[], right: readonly string[]): readonly string[] {
  if (left.length === 0) return right;
  return right.every((app) => left.includes(app)) ? left : [...new Set([...left, ...right])];
}
