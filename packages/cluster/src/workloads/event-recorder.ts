import type { Clock } from "@capstan/flow";
import { ApiError, type KubeObject, type Objects } from "../types.ts";
import { timestamp } from "./controller.ts";
import { resourceTypes } from "./resource-types.ts";

export interface EventFacts {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  /** Who says so: "deployment-controller", "kubelet", … */
  component: string;
  host?: string;
  /** For events about one container: "spec.containers{web}". */
  fieldPath?: string;
}

interface CoreEvent extends KubeObject {
  count?: number;
  lastTimestamp?: string;
}

interface Pending {
  about: KubeObject;
  facts: EventFacts;
  count: number;
}

interface Known {
  namespace: string;
  name: string;
}

const mostPending = 5_000;
const mostKnown = 4_096;
const concurrency = 16;
/** As client-go's EventSourceObjectSpamFilter: a burst, then one every five minutes. */
const burstPerObject = 25;
const refillMs = 300_000;

/**
 * Writes core/v1 Events beside the work that they tell of. Repetitions raise a count; what would flood is dropped,
 * as client-go's correlator drops it.
 */
export class EventRecorder {
  readonly #objects: Objects;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #pending = new Map<string, Pending>();
  readonly #known = new Map<string, Known>();
  readonly #tokens = new Map<string, { left: number; at: number }>();
  #writing = 0;
  #lastSuffix = 0n;
  #drained: (() => void)[] = [];

  constructor(needs: { objects: Objects; clock: Clock; signal: AbortSignal }) {
    this.#objects = needs.objects;
    this.#clock = needs.clock;
    this.#signal = needs.signal;
  }

  record(about: KubeObject, facts: EventFacts): void {
    if (this.#signal.aborted) return;
    const key = [about.metadata.uid, facts.reason, facts.fieldPath, facts.component, facts.message].join(
      "\n",
    );
    const waiting = this.#pending.get(key);
    if (waiting) {
      waiting.count += 1;
      return;
    }
    if (this.#pending.size >= mostPending || !this.#takeToken(about, facts)) return;
    this.#pending.set(key, { about, facts, count: 1 });
    queueMicrotask(() => this.#pump());
  }

  get isIdle(): boolean {
    return this.#writing === 0 && this.#pending.size === 0;
  }

  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #takeToken(about: KubeObject, facts: EventFacts): boolean {
    const key = `${about.metadata.uid} ${facts.component}`;
    const now = this.#clock.now();
    const known = this.#tokens.get(key) ?? { left: burstPerObject, at: now };
    const left = Math.min(burstPerObject, known.left + Math.floor((now - known.at) / refillMs));
    remember(this.#tokens, key, { left: Math.max(left - 1, 0), at: left > known.left ? now : known.at });
    return left > 0;
  }

  #pump(): void {
    if (this.#signal.aborted) this.#pending.clear();
    for (const [key, pending] of this.#pending) {
      if (this.#writing >= concurrency) return;
      this.#pending.delete(key);
      this.#writing += 1;
      void this.#write(key, pending).finally(() => {
        this.#writing -= 1;
        this.#pump();
      });
    }
    if (!this.isIdle) return;
    const waiters = this.#drained;
    this.#drained = [];
    for (const resolve of waiters) resolve();
  }

  /** An event that cannot be written is lost, as in Kubernetes: namespaces end and objects go. */
  async #write(key: string, pending: Pending): Promise<void> {
    try {
      if (!(await this.#recount(key, pending))) await this.#create(key, pending);
    } catch (error) {
      if (!(error instanceof ApiError) && !this.#signal.aborted) throw error;
      this.#known.delete(key);
    }
  }

  async #recount(key: string, { count }: Pending): Promise<boolean> {
    const known = this.#known.get(key);
    const event = known && this.#objects.get<CoreEvent>(resourceTypes.events, known.namespace, known.name);
    if (!event) return false;
    await this.#objects.update<CoreEvent>(resourceTypes.events, {
      ...event,
      count: (event.count ?? 1) + count,
      lastTimestamp: timestamp(this.#clock.now()),
    });
    return true;
  }

  /** Nanoseconds since the epoch, as client-go has it: names sort by time, never twice the same. */
  #nextSuffix(): string {
    const now = BigInt(this.#clock.now()) * 1_000_000n;
    this.#lastSuffix = now > this.#lastSuffix ? now : this.#lastSuffix + 1n;
    return this.#lastSuffix.toString(16).padStart(16, "0");
  }

  async #create(key: string, pending: Pending): Promise<void> {
    const event = newEvent(pending, { now: timestamp(this.#clock.now()), suffix: this.#nextSuffix() });
    await this.#objects.create(resourceTypes.events, event);
    remember(this.#known, key, {
      namespace: event.metadata.namespace ?? "",
      name: event.metadata.name ?? "",
    });
  }
}

function newEvent(
  { about, facts, count }: Pending,
  { now, suffix }: { now: string; suffix: string },
): CoreEvent {
  const { name = "", namespace, uid, resourceVersion } = about.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name.slice(0, 236)}.${suffix}`,
      namespace: namespace ?? "default",
    },
    involvedObject: {
      kind: about.kind,
      ...(namespace !== undefined && { namespace }),
      name,
      uid,
      apiVersion: about.apiVersion,
      resourceVersion,
      ...(facts.fieldPath !== undefined && { fieldPath: facts.fieldPath }),
    },
    reason: facts.reason,
    message: facts.message,
    source: { component: facts.component, ...(facts.host !== undefined && { host: facts.host }) },
    firstTimestamp: now,
    lastTimestamp: now,
    count,
    type: facts.type,
    eventTime: null,
    reportingComponent: facts.component,
    reportingInstance: facts.host ?? "",
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostKnown) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
