import { isApplicationNamespace, updaterName } from "@capstan/engine";
import { type Clock, Lanes } from "@capstan/flow";
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
import { imageUpdaterGroup, isImageUpdater, isLiveApplication, type Manifest } from "@capstan/model";
import { type ImagePlans, imageSwitch } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import { Counter, Gauge, type Registry } from "prom-client";
import { KeyQueue } from "../loop/key-queue.ts";
import { createLoopMetrics } from "../loop/loop-metrics.ts";
import { storeKey } from "../loop/object-store.ts";
import { updateImages } from "./update-images.ts";
import { UpdateMemory } from "./update-memory.ts";
import {
  asksForUpdates,
  group,
  type StoredApplication,
  type UpdaterMetrics,
  type UpdaterNeeds,
} from "./updater-needs.ts";
import { UpdaterStatuses } from "./updater-statuses.ts";

export interface ImageUpdaterInput {
  kube: KubeClient;
  /** Applications and ImageUpdaters; it must be ready. */
  live: LiveState;
  repo: RepoServer;
  hosts: HostCalls;
  settings: SettingsSource;
  plans: ImagePlans;
  clock: Clock;
  log: KubeLog & { error(facts: object, message: string): void };
  metrics: Registry;
  /** The control namespace. */
  namespace: string;
}

export interface ImageUpdater extends AsyncDisposable {
  /** Resolves when no application waits to be looked at. */
  idle(): Promise<void>;
}

/** Looks at a time: one that waits for a registry or a repository costs little, and holds up no other. */
const concurrency = 10_000;

/** Follows the images that applications name, and writes new versions down where they say. */
export function startImageUpdater(input: ImageUpdaterInput): ImageUpdater {
  return new RunningUpdater(input);
}

class RunningUpdater implements ImageUpdater {
  readonly #needs: UpdaterNeeds;
  readonly #plans: ImagePlans;
  readonly #queue: KeyQueue;
  readonly #statuses: UpdaterStatuses;
  readonly #memories = new Map<string, UpdateMemory>();
  readonly #stop = new AbortController();
  readonly #unsubscribe: readonly (() => void)[];

  constructor(input: ImageUpdaterInput) {
    const { kube: client, live, repo, hosts, settings, plans, clock, log, metrics, namespace } = input;
    const { signal } = this.#stop;
    const events = createEventRecorder({ client, component: "ArgocdImageUpdater", clock, log, signal });
    const lanes = new Lanes();
    const own = { client, live, repo, hosts, settings, plans, clock, log, events, lanes };
    this.#needs = { ...own, metrics: updaterMetrics(metrics), controlNamespace: namespace };
    this.#plans = plans;
    this.#queue = new KeyQueue({
      concurrency,
      clock,
      metrics: createLoopMetrics(metrics, "imageupdater"),
      work: async (key, workSignal) => {
        const memory = this.#memories.get(key);
        if (memory) await this.#update(key, memory, workSignal);
      },
      nextAt: (key) => this.#memories.get(key)?.lookAt,
      log,
    });
    this.#statuses = new UpdaterStatuses({
      needs: this.#needs,
      metrics: createLoopMetrics(metrics, "imageupdaterstatus"),
      memories: () => this.#memories.values(),
      log,
    });
    this.#unsubscribe = [
      live.onChange((change) => this.#changed(change)),
      settings.onChange((current, previous) => {
        if (!equalJson(askedOfSettings(current), askedOfSettings(previous))) this.#lookAtAll();
      }),
    ];
    this.#lookAtAll();
  }

  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.#statuses.idle();
    await this.#needs.events.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#unsubscribe) end();
    await this.#queue[Symbol.asyncDispose]();
    await this.#statuses[Symbol.asyncDispose]();
    this.#stop.abort();
  }

  async #update(key: string, memory: UpdateMemory, signal: AbortSignal): Promise<void> {
    const before = memory.look?.updater;
    const isThere = await updateImages({ needs: this.#needs, memory, key }, signal);
    for (const name of new Set([before, memory.look?.updater]))
      if (name !== undefined) this.#statuses.changed(name);
    if (!isThere) this.#forget(key);
  }

  #changed(change: LiveChange): void {
    const { key, previous, current } = change;
    if (key.group === imageUpdaterGroup) this.#updaterChanged(change);
    if (key.group !== group || key.kind !== "Application") return;
    if (!isLiveApplication(current)) {
      if (previous) this.#forget(storeKey(previous));
    } else if (
      !isLiveApplication(previous) ||
      !equalJson(askedOf(previous), askedOf(current)) ||
      (asksForUpdates(current) && !asksForUpdates(previous))
    )
      this.#look(current);
  }

  /** Whom it is for, or was for, is looked at anew; that its status was written is no reason. */
  #updaterChanged({ key: { namespace = "" }, previous, current }: LiveChange): void {
    const name = nameOfUpdater(current ?? previous);
    if (current === undefined && name !== undefined) this.#statuses.forget(name);
    if (equalJson(previous?.spec, current?.spec)) return;
    this.#lookAtAll(namespace);
    if (current !== undefined) this.#tellUpdater(current);
  }

  #tellUpdater(updater: Manifest): void {
    const name = nameOfUpdater(updater);
    if (name !== undefined && this.#isOurs(updater.metadata.namespace)) this.#statuses.changed(name);
  }

  #lookAtAll(namespace?: string): void {
    const { live } = this.#needs;
    const isMeant = ({ metadata }: Manifest) => namespace === undefined || metadata.namespace === namespace;
    for (const app of live.ofKind(group, "Application"))
      if (isMeant(app) && isLiveApplication(app)) this.#look(app);
    if (namespace !== undefined) return;
    for (const updater of live.ofKind(imageUpdaterGroup, "ImageUpdater")) this.#tellUpdater(updater);
  }

  /** Whether images are followed at all, and in this namespace. */
  #isOurs(namespace = ""): boolean {
    const { settings, controlNamespace } = this.#needs;
    const setting = settings.current.params["application.namespaces"];
    return this.#plans.isOn && isApplicationNamespace(namespace, { controlNamespace, setting });
  }

  #look(app: StoredApplication): void {
    const key = storeKey(app);
    if (!this.#isOurs(app.metadata.namespace) || !this.#plans.rules(app)) {
      if (this.#memories.has(key)) this.#forget(key);
      return;
    }
    if (!this.#memories.has(key)) this.#memories.set(key, new UpdateMemory());
    this.#needs.metrics.watched(this.#memories.size);
    this.#queue.add(key);
  }

  #forget(key: string): void {
    const updater = this.#memories.get(key)?.look?.updater;
    this.#memories.delete(key);
    if (updater !== undefined) this.#statuses.changed(updater);
    this.#queue.forget(key);
    this.#needs.metrics.watched(this.#memories.size);
  }
}

function askedOfSettings({ imageUpdater, params }: Settings): unknown {
  return [imageUpdater, params[imageSwitch], params["application.namespaces"]];
}

/** What of an Application asks for a look at its images: what they are to be, and which of them run. */
function askedOf({ metadata, spec, status }: StoredApplication): unknown {
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) =>
    name.startsWith("argocd-image-updater."),
  );
  const rendered = [status?.sourceType, status?.sourceTypes, status?.summary?.images];
  return [own, metadata.labels ?? null, spec, rendered, metadata.deletionTimestamp ?? null];
}

function nameOfUpdater(object: Manifest | undefined): string | undefined {
  return isImageUpdater(object) ? updaterName(object) : undefined;
}

/** Names as argocd-image-updater has them (pkg/metrics). */
function updaterMetrics(registry: Registry): UpdaterMetrics {
  const own = { registers: [registry] };
  const prefix = "argocd_image_updater";
  const updated = new Counter({
    ...own,
    name: `${prefix}_images_updated_total`,
    help: "Images that were updated",
  });
  const failed = new Counter({
    ...own,
    name: `${prefix}_images_errors_total`,
    help: "Images that could not be looked after, and writes that failed",
  });
  const watched = new Gauge({
    ...own,
    name: `${prefix}_applications_watched_total`,
    help: "Applications whose images are followed",
  });
  return {
    updated: (count) => updated.inc(count),
    failed: () => failed.inc(),
    watched: (count) => watched.set(count),
  };
}
