import type { Clock } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import type {
  Clusters,
  KubeClient,
  KubeLog,
  LiveChange,
  LiveState,
  Settings,
  SettingsSource,
} from "@capstan/kube";
import { type Manifest, messageOf } from "@capstan/model";
import { openServiceMemory, type ServiceSurroundings } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import type { Registry } from "prom-client";
import { KeyQueue } from "../loop/key-queue.ts";
import { createLoopMetrics } from "../loop/loop-metrics.ts";
import { storeKey } from "../loop/object-store.ts";
import { group } from "../project/find-project.ts";
import { DeliveryDesk } from "./delivery-desk.ts";
import { DeliveryMemory } from "./delivery-memory.ts";
import { KeptThreads } from "./kept-threads.ts";
import { createNotificationMetrics, type NotificationMetrics } from "./notification-metrics.ts";
import { findApplication, type NotificationNeeds } from "./notification-needs.ts";
import { NotificationSetups } from "./notification-setups.ts";
import { notifyApplication } from "./notify-application.ts";
import { watchTenantTexts } from "./watch-tenant-texts.ts";

export interface NotificationControllerInput {
  kube: KubeClient;
  /** Applications and projects; it must be ready. Nothing further is watched but configurations of tenants. */
  live: LiveState;
  repo: RepoServer;
  clusters: Pick<Clusters, "forDestination">;
  settings: SettingsSource;
  clock: Clock;
  log: KubeLog & { error(facts: object, message: string): void };
  metrics: Registry;
  /** The control namespace. */
  namespace: string;
  /** Of this process: the way to servers elsewhere, and where services look for its identity. Default neither. */
  surroundings?: Pick<ServiceSurroundings, "proxy" | "environment">;
}

export interface NotificationController extends AsyncDisposable {
  /** Resolves when no Application waits to be looked at; what is being sent does not count. */
  idle(): Promise<void>;
}

const concurrency = 4;
/** After a state that could not be written. */
const writeAgainMs = 5_000;
/** For what is being sent when Capstan ends. */
const graceMs = 5_000;
const mostSaid = 10_000;

/** Tells people what triggers say about Applications (Argo CD: notification_controller, notifications-engine). */
export function startNotificationController(input: NotificationControllerInput): NotificationController {
  return new RunningController(input);
}

class RunningController implements NotificationController {
  readonly #needs: NotificationNeeds;
  readonly #input: NotificationControllerInput;
  readonly #queue: KeyQueue;
  readonly #metrics: NotificationMetrics;
  readonly #desk: DeliveryDesk;
  readonly #setups: NotificationSetups;
  readonly #memories = new Map<string, DeliveryMemory>();
  readonly #said = new Map<string, string>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #ended = new AbortController();
  #tenants: { stop: AbortController; done: Promise<void> } | undefined;

  constructor(input: NotificationControllerInput) {
    const { kube: client, live, repo, clusters, settings, clock, log, namespace } = input;
    this.#input = input;
    this.#needs = { client, live, repo, clusters, settings, clock, log, controlNamespace: namespace };
    this.#metrics = createNotificationMetrics(input.metrics);
    this.#desk = new DeliveryDesk({ clock });
    this.#setups = new NotificationSetups({
      log,
      controlNamespace: namespace,
      surroundings: (guarded) => this.#surroundings(guarded),
      changed: (one) => this.#addAll(one === namespace ? undefined : one),
      openMemory: (guarded) => this.#openMemory(guarded),
    });
    this.#queue = new KeyQueue({
      concurrency,
      clock,
      metrics: createLoopMetrics(input.metrics, "notifications"),
      work: (key, signal) => this.#look(key, signal),
      nextAt: (key) => this.#nextAt(key),
      log,
    });
    this.#unsubscribe = [
      live.onChange((change) => this.#changed(change)),
      settings.onChange((current, previous) => this.#settingsChanged(current, previous)),
    ];
    this.#takeSettings();
  }

  async idle(): Promise<void> {
    await this.#setups.ready();
    await this.#queue.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#unsubscribe) end();
    this.#tenants?.stop.abort();
    this.#ended.abort();
    await this.#tenants?.done;
    await this.#desk.close(graceMs);
    // What was sent last is written before the end: a restart says nothing twice.
    await this.#queue.idle();
    await this.#queue[Symbol.asyncDispose]();
  }

  async #look(key: string, signal: AbortSignal): Promise<void> {
    const app = findApplication(this.#needs, key);
    const memory = this.#memory(key, app);
    const { clock, log } = this.#needs;
    try {
      const look = {
        needs: this.#needs,
        metrics: this.#metrics,
        desk: this.#desk,
        memory,
        setups: this.#setups.of(key.slice(0, key.indexOf("/"))),
        again: () => this.#queue.add(key),
        say: (about: string, problem: string | undefined) => this.#say(about, problem),
      };
      if (!(await notifyApplication(look, key, signal))) this.#forget(key);
    } catch (error) {
      signal.throwIfAborted();
      memory.lookAt = clock.now() + writeAgainMs;
      log.warn({ application: key, problem: messageOf(error) }, "what was notified of is not written yet");
    }
  }

  #memory(key: string, app: Manifest | undefined): DeliveryMemory {
    const known = this.#memories.get(key);
    if (known && known.uid === app?.metadata.uid) return known;
    known?.end();
    const memory = new DeliveryMemory(app?.metadata.uid);
    this.#memories.set(key, memory);
    return memory;
  }

  #nextAt(key: string): number | undefined {
    const memory = this.#memories.get(key);
    const times = [memory?.lookAt, memory?.nextAttempt()].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #forget(key: string): void {
    this.#memories.get(key)?.end();
    this.#memories.delete(key);
    this.#queue.forget(key);
  }

  #changed({ key, previous, current }: LiveChange): void {
    if (key.group !== group) return;
    const object = current ?? previous;
    if (key.kind === "Application" && object) this.#queue.add(storeKey(object));
    if (
      key.kind === "AppProject" &&
      !equalJson(previous?.metadata.annotations, current?.metadata.annotations)
    )
      this.#addAll(key.namespace);
  }

  #addAll(namespace?: string): void {
    for (const app of this.#needs.live.ofKind(group, "Application"))
      if (namespace === undefined || app.metadata.namespace === namespace) this.#queue.add(storeKey(app));
  }

  async #openMemory(guarded: boolean): Promise<ServiceSurroundings["memory"]> {
    if (guarded) return openServiceMemory();
    const { kube: client, namespace, log } = this.#input;
    const threads = new KeptThreads({ client, namespace, log });
    const known = await threads.read(this.#ended.signal);
    return openServiceMemory(known, (...thread) => threads.keep(...thread));
  }

  #settingsChanged(current: Settings, previous: Settings): void {
    this.#takeSettings();
    if (!equalJson(current.trust.authorities, previous.trust.authorities)) this.#setups.renew();
    const key = "application.namespaces";
    if (current.params[key] !== previous.params[key]) this.#addAll();
  }

  #takeSettings(): void {
    const { notifications, params } = this.#needs.settings.current;
    const isShared = params["notificationscontroller.selfservice.enabled"] === "true";
    if (isShared !== this.#setups.isShared) {
      this.#setups.isShared = isShared;
      this.#setups.renew();
      this.#followTenants(isShared);
    }
    this.#setups.set(this.#input.namespace, notifications);
  }

  #followTenants(isShared: boolean): void {
    this.#tenants?.stop.abort();
    this.#tenants = undefined;
    if (!isShared) return;
    const stop = new AbortController();
    const { kube: client, clock, log, namespace } = this.#input;
    const done = watchTenantTexts({
      client,
      clock,
      log,
      signal: stop.signal,
      found: (one, texts) => {
        if (one === namespace) return;
        if (texts) this.#setups.set(one, texts);
        else this.#setups.forget(one);
      },
    });
    this.#tenants = { stop, done };
  }

  #surroundings(guarded: boolean): ServiceSurroundings {
    const { clock, settings, surroundings = {} } = this.#input;
    const authoritiesOf = (host: string) => {
      const { authorities } = settings.current.trust;
      return Object.hasOwn(authorities, host) ? authorities[host] : undefined;
    };
    return guarded ? { clock, guarded, authoritiesOf } : { clock, authoritiesOf, ...surroundings };
  }

  /** A thing once, until something else is to be said of the same. */
  #say(about: string, problem: string | undefined): void {
    if (this.#said.get(about) === problem) return;
    if (problem === undefined) {
      this.#said.delete(about);
      return;
    }
    if (this.#said.size >= mostSaid) this.#said.clear();
    this.#said.set(about, problem);
    this.#needs.log.warn({ application: about.split(" ")[0], problem }, "a trigger was not evaluated");
  }
}
