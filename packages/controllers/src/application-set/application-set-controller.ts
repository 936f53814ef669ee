import { controllerOf, keptBySet, usesClusters } from "@capstan/engine";
import { type Clock, Lanes, Limiter } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import type { HostCalls } from "@capstan/git-hosts";
import {
  createEventRecorder,
  type KubeClient,
  type KubeLog,
  type LiveChange,
  type LiveState,
  type Settings,
  type SettingsSource,
} from "@capstan/kube";
import { annotationKeys, isLiveApplication, isLiveSet, type Manifest } from "@capstan/model";
import { isRollingSet, type Scripts } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import type { Registry } from "prom-client";
import { KeyQueue } from "../loop/key-queue.ts";
import { createLoopMetrics } from "../loop/loop-metrics.ts";
import { storeKey } from "../loop/object-store.ts";
import { group } from "../project/find-project.ts";
import { createGithubMetrics } from "./github-metrics.ts";
import { reconcileSet } from "./reconcile-set.ts";
import { rolledOf } from "./rolling-events.ts";
import { SetMemory } from "./set-memory.ts";
import { createSetMetrics } from "./set-metrics.ts";
import { findSet, type SetNeeds, type StoredApplication } from "./set-needs.ts";

export interface ApplicationSetControllerInput {
  kube: KubeClient;
  /** ApplicationSets, Applications and projects; it must be ready. Nothing further is watched. */
  live: LiveState;
  repo: RepoServer;
  /** By which all sets ask the hosts of repositories. */
  hosts: HostCalls;
  /** For what sets ignore by expressions. */
  scripts: Pick<Scripts, "jq">;
  settings: SettingsSource;
  clock: Clock;
  log: KubeLog & { error(facts: object, message: string): void };
  metrics: Registry;
  /** The control namespace. */
  namespace: string;
}

export interface ApplicationSetController extends AsyncDisposable {
  /** Resolves when no set waits to be looked at. */
  idle(): Promise<void>;
}

/** Looks at a time: one that waits for an answer costs little, and holds up no other. */
const concurrency = 10_000;
const writersAtOnce = 4;
/** What Applications become is told together. */
const tellAfterMs = 2_000;

/** Makes the Applications of every ApplicationSet, and keeps them as their set says. */
export function startApplicationSetController(
  input: ApplicationSetControllerInput,
): ApplicationSetController {
  return new RunningController(input);
}

class RunningController implements ApplicationSetController {
  readonly #needs: SetNeeds;
  readonly #queue: KeyQueue;
  readonly #memories = new Map<string, SetMemory>();
  readonly #stop = new AbortController();
  readonly #unsubscribe: readonly (() => void)[];

  constructor(input: ApplicationSetControllerInput) {
    const { kube: client, live, repo, hosts, scripts, settings, clock, log, metrics, namespace } = input;
    const { jq } = scripts;
    const { signal } = this.#stop;
    const events = createEventRecorder({
      client,
      component: "applicationset-controller",
      clock,
      log,
      signal,
    });
    const own = { client, live, repo, hosts, jq, settings, clock, log, events };
    const limits = { lanes: new Lanes(), writers: new Limiter({ atOnce: writersAtOnce }) };
    this.#needs = { ...own, ...limits, controlNamespace: namespace };
    const params = () => settings.current.params;
    const told = createSetMetrics(metrics, { live, params });
    const isOn = () => params()["applicationsetcontroller.enable.github.api.metrics"] === "true";
    const countCall = createGithubMetrics(metrics, { isOn, now: () => clock.now() });
    this.#queue = new KeyQueue({
      concurrency,
      clock,
      metrics: createLoopMetrics(metrics, "applicationset"),
      work: async (key, workSignal) => {
        const from = clock.now();
        const isThere = await reconcileSet(
          { needs: this.#needs, memory: this.#memory(key), key },
          workSignal,
        );
        if (!isThere) return this.#forget(key);
        const [namespace = "", name = ""] = key.split("/");
        told({ namespace, name }, clock.now() - from);
      },
      nextAt: (key) => this.#memories.get(key)?.nextAt(),
      log,
    });
    this.#unsubscribe = [
      live.onChange((change) => this.#changed(change)),
      hosts.onCall(countCall),
      settings.onChange((current, previous) => {
        if (!equalJson(countingOf(current), countingOf(previous))) this.#settingsChanged();
      }),
    ];
    for (const set of live.ofKind(group, "ApplicationSet")) this.#add(storeKey(set));
  }

  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.#needs.events.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#unsubscribe) end();
    await this.#queue[Symbol.asyncDispose]();
    this.#stop.abort();
  }

  #memory(key: string): SetMemory {
    const known = this.#memories.get(key);
    if (known) return known;
    const memory = new SetMemory();
    this.#memories.set(key, memory);
    return memory;
  }

  #add(key: string): void {
    this.#memory(key);
    this.#queue.add(key);
  }

  #forget(key: string): void {
    this.#memories.delete(key);
    this.#queue.forget(key);
  }

  #changed({ key, previous, current }: LiveChange): void {
    if (key.group !== group) return;
    if (key.kind === "ApplicationSet") this.#setChanged(previous, current);
    else if (key.kind === "Application") this.#applicationChanged(previous, current);
    else if (key.kind === "AppProject")
      for (const [set, { problems }] of this.#memories) if (problems.size > 0) this.#lookAtAll(set);
  }

  #setChanged(previous: Manifest | undefined, current: Manifest | undefined): void {
    const set = current ?? previous;
    if (!set) return;
    const key = storeKey(set);
    const isAsked = !previous || !current || !equalJson(askedOf(previous), askedOf(current));
    // What it is asked for is no more what it means.
    if (isAsked) this.#memories.get(key)?.asking?.abort(new Error("the set has changed"));
    // One of the same name is another set.
    if (previous && previous.metadata.uid !== current?.metadata.uid) this.#memories.delete(key);
    if (isAsked) this.#lookAtAll(key);
    else if (previous && current && asksForRefresh(previous, current)) this.#queue.add(key);
  }

  #applicationChanged(previous: Manifest | undefined, current: Manifest | undefined): void {
    for (const app of [previous, current]) {
      const owner = app && controllerOf(app);
      if (owner?.kind !== "ApplicationSet" || !isLiveApplication(app)) continue;
      const key = `${app.metadata.namespace ?? ""}/${owner.name}`;
      const memory = this.#memories.get(key);
      if (!memory) continue;
      if (previous && current && equalJson(keptOf(previous), keptOf(current)))
        this.#tellLater(key, memory, { app, previous, current });
      else {
        memory.changed.add(app.metadata.name);
        this.#queue.add(key);
      }
    }
  }

  /** Only what the set's status shows of Applications has changed, if that. */
  #tellLater(
    key: string,
    memory: SetMemory,
    { app, previous, current }: { app: StoredApplication; previous: Manifest; current: Manifest },
  ): void {
    if (app !== current || !isLiveApplication(previous)) return;
    const set = equalJson(rolledOf(previous), rolledOf(app)) ? undefined : findSet(this.#needs, key);
    if (set && isRollingSet(this.#needs.settings.current, set)) this.#queue.add(key);
    if (equalJson(shownOf(previous), shownOf(app))) return;
    memory.tellAt ??= this.#needs.clock.now() + tellAfterMs;
    this.#queue.rearm(key);
  }

  #lookAtAll(key: string): void {
    this.#memory(key).looksAtAll = true;
    this.#queue.add(key);
  }

  #settingsChanged(): void {
    for (const [key, memory] of this.#memories) {
      const set = findSet(this.#needs, key);
      if (set && usesClusters(set)) memory.generateAt = 0;
      this.#lookAtAll(key);
    }
  }
}

const askingAnnotations = [annotationKeys.deletionBudget, annotationKeys.deletionAllowed] as const;

/** A refresh that is taken away has been done, or is being done. */
function asksForRefresh(previous: Manifest, current: Manifest): boolean {
  const [before, now] = [previous, current].map(
    ({ metadata }) => metadata.annotations?.[annotationKeys.applicationSetRefresh],
  );
  return now !== undefined && now !== before;
}

/** What else of a set asks for a look at it. */
function askedOf(set: Manifest): unknown {
  const { annotations, deletionTimestamp, finalizers, generation } = set.metadata;
  const spec = isLiveSet(set) ? set.spec : generation;
  const asked = askingAnnotations.map((one) => annotations?.[one] ?? null);
  // Its end is our own doing, and asks for nothing.
  return { spec, deletionTimestamp, finalizers, asked };
}

function countingOf({ clusters, params, general }: Settings): unknown {
  return [clusters, params, general.deletionBudget];
}

/** What of an Application its set keeps as it says. */
function keptOf({ metadata, spec }: Manifest): unknown {
  const { uid, labels, finalizers, ownerReferences, deletionTimestamp } = metadata;
  const annotations = keptBySet(metadata.annotations);
  return { uid, labels, annotations, finalizers, ownerReferences, deletionTimestamp, spec };
}

function shownOf({ status }: StoredApplication): unknown {
  return [status?.sync?.status, status?.health?.status];
}
