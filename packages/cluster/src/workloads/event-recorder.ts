import { BoundedMap, type Clock, KeyedQueue } from "@capstan/flow";
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
  readonly #known = new BoundedMap<Known>(mostKnown);
  readonly #tokens = new BoundedMap<{ left: number; at: number }>(mostKnown);
  readonly #queue: KeyedQueue;
  #lastSuffix = 0n;

  constructor({ objects, clock, signal }: { objects: Objects; clock: Clock; signal: AbortSignal }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#signal = signal;
    this.#queue = new KeyedQueue({
      atOnce: concurrency,
      clock,
      signal,
      work: (key) => this.#write(key),
      // It is lost, as in Kubernetes: namespaces end and objects go.
      failed: (key, error) => {
        this.#known.delete(key);
        if (!(error instanceof ApiError) && !signal.aborted) throw error;
      },
    });
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
    this.#queue.add(key);
  }

  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  drained(): Promise<void> {
    return this.#queue.idle();
  }

  #takeToken(about: KubeObject, facts: EventFacts): boolean {
    const key = `${about.metadata.uid} ${facts.component}`;
    const now = this.#clock.now();
    const known = this.#tokens.get(key) ?? { left: burstPerObject, at: now };
    const left = Math.min(burstPerObject, known.left + Math.floor((now - known.at) / refillMs));
    this.#tokens.set(key, { left: Math.max(left - 1, 0), at: left > known.left ? now : known.at });
    return left > 0;
  }

  async #write(key: string): Promise<void> {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pending && !(await this.#recount(key, pending))) await this.#create(key, pending);
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
    this.#known.set(key, {
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
