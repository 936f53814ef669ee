import { orAborted } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import type { Cluster, LiveChange } from "@capstan/kube";
import { type Application, keyText, projectOf, readInstanceName } from "@capstan/model";
import { changesOrphans, type Desired, type KnownDesired } from "@capstan/planning";
import { KeyQueue } from "../loop/key-queue.ts";
import { createLoopMetrics } from "../loop/loop-metrics.ts";
import { type StoreChange, storeKey } from "../loop/object-store.ts";
import { asksForRun, mayUse, readinessOf, rulesOf } from "./application-changes.ts";
import type { ApplicationControllerInput } from "./application-controller-input.ts";
import { ApplicationMemory, hasOperation } from "./application-memory.ts";
import { createApplicationMetrics } from "./application-metrics.ts";
import { type ApplicationNeeds, defaultOptions } from "./application-needs.ts";
import { applicationEvents, openStores } from "./application-stores.ts";
import { registerClusterMetrics, serverFor } from "./cluster-metrics.ts";
import type { ComparisonRequest } from "./comparison-schedule.ts";
import { mayDepend } from "./hold-for-others.ts";
import { NewestRevisions } from "./newest-revisions.ts";
import { OrphanWatchers } from "./orphan-watchers.ts";
import { ProjectFinalizers } from "./project-finalizers.ts";
import { reconcileWhileHeld } from "./reconcile.ts";
import { isOurs } from "./shard.ts";
import { StandingBook } from "./standing-book.ts";
import { TargetIndex } from "./target-index.ts";

export interface ApplicationController extends AsyncDisposable {
  /** Resolves when no application waits to be looked at. */
  idle(): Promise<void>;
}

/** Keeps every Application in line with its repository. */
export async function startApplicationController(
  input: ApplicationControllerInput,
): Promise<ApplicationController> {
  await input.settings.ready(input.signal);
  await using opened = new AsyncDisposableStack();
  const controller = opened.use(new RunningController(input));
  await controller.start();
  opened.move();
  return controller;
}

/** Changes below a managed object come in bursts while Pods come up. */
const childSettleMs = 30;
/** A namespace that many work in changes all the time, and a warning has time. */
const orphanSettleMs = 500;

class RunningController implements ApplicationController {
  readonly #needs: ApplicationNeeds;
  readonly #queue: KeyQueue;
  readonly #memories = new Map<string, ApplicationMemory>();
  /** Whose sync waits for other applications. */
  readonly #waiting = new Set<string>();
  readonly #targets = new TargetIndex();
  readonly #orphans = new OrphanWatchers();
  readonly #newest = new NewestRevisions();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #finalizers: ProjectFinalizers;
  readonly #book: StandingBook;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #listed: Promise<unknown>;
  readonly #input: ApplicationControllerInput;

  constructor(input: ApplicationControllerInput) {
    const { kube: client, clusters, repo, settings, scripts, clock, log, shard, metrics, namespace } = input;
    const { records, standings } = input;
    const options = { ...defaultOptions, ...input.options };
    this.#input = input;
    const { apps, projects } = openStores(input);
    this.#listed = Promise.all([apps.ready(), projects.ready()]);
    this.#signal = AbortSignal.any([input.signal, this.#stop.signal]);
    const signal = this.#signal;
    this.#finalizers = new ProjectFinalizers({ apps, projects, client, clock, log, signal });
    const events = applicationEvents(input, projects, signal);
    this.#unsubscribe.push(registerClusterMetrics(metrics, { clusters, settings, clock }));
    this.#needs = {
      client,
      clusters,
      repo,
      settings,
      scripts,
      records,
      standings,
      clock,
      log,
      controlNamespace: namespace,
      options,
      apps,
      projects,
      events,
      shard,
      metrics: createApplicationMetrics(metrics, {
        all: () => [...apps.all()].filter((app) => isOurs(shard, storeKey(app), app)),
        serverOf: (app) => serverFor(settings.current, app),
        params: () => settings.current.params,
        orphansOf: (app) => this.#memories.get(storeKey(app))?.orphans?.count ?? 0,
      }),
    };
    this.#book = new StandingBook(this.#needs, { memoryOf: (key) => this.#memories.get(key), signal });
    this.#queue = new KeyQueue({
      concurrency: options.concurrency,
      clock,
      metrics: createLoopMetrics(metrics, "app_reconciliation_queue"),
      work: (key, workSignal) => this.#work(key, workSignal),
      nextAt: (key) => this.#memories.get(key)?.schedule.nextAt(clock.now()),
      goesFirst: (key) => hasOperation(apps.get(key), this.#memories.get(key)),
      log,
    });
  }

  async start(): Promise<void> {
    const { apps, projects, settings, clusters, controlNamespace } = this.#needs;
    apps.onChange((change) => this.#applicationChanged(change));
    projects.onChange(({ key, previous, current }) => {
      if (previous && current && equalJson(rulesOf(previous), rulesOf(current))) return;
      const globals = settings.current.general.globalProjects.map(({ projectName }) => projectName);
      const isMeant = (name: string) => `${controlNamespace}/${name}` === key;
      this.#wantAll(`project ${key} changed`, (app) => [...globals, projectOf(app)].some(isMeant));
      if (current) this.#finalizers.release(current);
    });
    this.#unsubscribe.push(
      clusters.onOpen((cluster) => {
        const stop = cluster.live.onChange((change) => this.#liveChanged(cluster, change));
        this.#signal.addEventListener("abort", stop, { once: true, signal: cluster.closed });
      }),
      settings.onChange((current, previous) => {
        const { general, repositories, credentialTemplates, clusters: known } = current;
        const before = [
          previous.general,
          previous.repositories,
          previous.credentialTemplates,
          previous.clusters,
        ];
        if (!equalJson([general, repositories, credentialTemplates, known], before))
          this.#wantAll("the settings changed");
      }),
    );
    const { shard } = this.#needs;
    if (shard)
      this.#unsubscribe.push(
        shard.onChange(() => {
          for (const key of apps.keys()) this.#queue.add(key);
        }),
      );
    this.#followPlugins();
    await orAborted(this.#listed, this.#signal);
    for (const key of apps.keys()) this.#queue.add(key);
  }

  #followPlugins(): void {
    const { pipelines, pluginServices } = this.#input;
    const following = [
      pipelines?.onChange((pipeline) =>
        this.#wantAll(`Pipeline ${pipeline.metadata.name} changed`, (app) => mayUse(app, pipeline)),
      ),
      pluginServices?.onChange(() =>
        this.#wantAll("the plugins' services changed", (_, key) => this.#memory(key).lacksPlugin),
      ),
    ];
    for (const end of following) if (end) this.#unsubscribe.push(end);
  }

  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.#needs.events.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#unsubscribe) end();
    await this.#queue[Symbol.asyncDispose]();
    this.#book.finish();
    this.#stop.abort();
    await Promise.all([this.#needs.apps[Symbol.asyncDispose](), this.#needs.projects[Symbol.asyncDispose]()]);
  }

  #memory(key: string): ApplicationMemory {
    const known = this.#memories.get(key);
    if (known) return known;
    const memory = new ApplicationMemory();
    this.#memories.set(key, memory);
    return memory;
  }

  async #work(key: string, signal: AbortSignal): Promise<void> {
    // Applications may be known before their projects are.
    await orAborted(this.#listed, signal);
    if (!isOurs(this.#needs.shard, key, this.#needs.apps.get(key))) {
      this.#leave(key);
      return;
    }
    const memory = this.#memory(key);
    const { desired = memory.stands } = memory;
    const before = readinessOf(this.#needs.apps.get(key));
    const outcome = await reconcileWhileHeld({ needs: this.#needs, memory, key }, signal);
    if (outcome === "gone") this.#forget(key);
    if (outcome === "left") this.#leave(key);
    if (outcome !== "looked at") return;
    if (memory.waitsForOthers) this.#waiting.add(key);
    else this.#waiting.delete(key);
    this.#targets.set(key, memory.cluster?.server ?? "", memory.comparison?.targets);
    this.#orphans.set(key, memory.orphans);
    if (!equalJson(before, readinessOf(this.#needs.apps.get(key)))) this.#tellWaiting(key);
    const found = memory.desired ?? memory.stands;
    if (found && found !== desired) this.#tellFollowers(key, found);
    this.#book.looked(key);
  }

  /** A commit that one application has seen is compared by all that follow the same branch. */
  #tellFollowers(key: string, desired: Desired | KnownDesired): void {
    const app = this.#needs.apps.get(key);
    if (!app) return;
    for (const [other, at] of this.#newest.saw(key, { project: projectOf(app), ...desired })) {
      const memory = this.#memory(other);
      memory.newerSeenAt = Math.max(at, memory.newerSeenAt ?? 0);
      const followed = this.#memory(key).looked;
      this.#want(other, { level: 2, learns: true, followed, reason: "a newer commit was seen" });
    }
  }

  /** Whoever waits for others of the same project looks whether it still has to. */
  #tellWaiting(key: string): void {
    const { apps } = this.#needs;
    for (const other of this.#waiting)
      if (other !== key && mayDepend(apps.get(other), apps.get(key)))
        this.#want(other, { level: 1, reason: "an application that it may depend on changed" });
  }

  #want(key: string, request: Omit<ComparisonRequest, "atMs">, afterMs = 0): void {
    this.#memory(key).schedule.ask({ ...request, atMs: this.#needs.clock.now() + afterMs });
    this.#queue.rearm(key);
  }

  /** Another controller has it: what is kept of it here is of no use. */
  #leave(key: string): void {
    if (!this.#memories.delete(key)) return;
    this.#targets.set(key, "", undefined);
    this.#orphans.set(key, undefined);
    this.#newest.forget(key);
  }

  #forget(key: string): void {
    this.#memories.delete(key);
    this.#needs.standings?.set(key, undefined);
    this.#waiting.delete(key);
    this.#targets.set(key, "", undefined);
    this.#orphans.set(key, undefined);
    this.#newest.forget(key);
    this.#queue.forget(key);
    this.#finalizers.releaseAll();
  }

  #applicationChanged({ key, previous, current }: StoreChange<Application>): void {
    // What it had is nobody's now.
    const left = current ? undefined : this.#memories.get(key)?.cluster;
    const namespace = previous?.spec.destination.namespace;
    if (left && namespace) this.#lookForOrphans(this.#orphans.of({ server: left.server, namespace }) ?? []);
    if (!current || !previous || asksForRun(previous, current)) this.#queue.add(key);
  }

  #liveChanged(cluster: Cluster, change: LiveChange): void {
    const { key, apps, managed } = change;
    let isOwned = false;
    for (const instance of apps) {
      const app = this.#keyOf(instance);
      if (!this.#needs.apps.get(app)) continue;
      isOwned = true;
      const reason = managed ? "a managed object changed" : "an object below a managed one changed";
      this.#want(app, { level: 1, ofLive: true, reason }, managed ? 0 : childSettleMs);
    }
    const watchers = this.#orphans.of({ server: cluster.server, namespace: key.namespace });
    if (watchers && changesOrphans(change, isOwned)) this.#lookForOrphans(watchers);
    if (apps.length > 0) return;
    for (const app of this.#targets.appsOf(cluster.server, keyText(key)))
      this.#want(app, { level: 1, reason: "an object that git names changed" });
  }

  #lookForOrphans(apps: Iterable<string>): void {
    for (const app of apps)
      this.#want(app, { level: 1, reason: "an object that no application has changed" }, orphanSettleMs);
  }

  #keyOf(instance: string): string {
    const { namespace, name } = readInstanceName(instance, this.#needs.controlNamespace);
    return `${namespace}/${name}`;
  }

  #wantAll(reason: string, concerns: (app: Application, key: string) => boolean = () => true): void {
    for (const key of this.#needs.apps.keys()) {
      const app = this.#needs.apps.get(key);
      if (!app || !concerns(app, key)) continue;
      this.#want(key, { level: 2, reason });
    }
  }
}
