import type { Clock } from "@capstan/flow";
import type { PodSession } from "../streams/session.ts";
import type { Objects } from "../types.ts";
import type { Context, Controller, LogEntry, Registration } from "./controller.ts";
import { EventRecorder } from "./event-recorder.ts";
import { sweepEvents } from "./event-sweeper.ts";
import { CopiedFiles } from "./inside/copied-files.ts";
import { openPodSession, type PodSessionRequest } from "./inside/open-session.ts";
import type { Pod } from "./kinds.ts";
import { LabelIndex } from "./label-index.ts";
import { OrphanIndex } from "./orphan-index.ts";
import { Kubelet } from "./pods/kubelet.ts";
import type { PodLogInput } from "./pods/log-lines.ts";
import { podLog } from "./pods/pod-log.ts";
import { resourceTypes } from "./resource-types.ts";
import { WorkQueue } from "./work-queue.ts";

export interface WorkloadOptions {
  objects: Objects;
  clock: Clock;
  /** How long a Pod takes to become Ready, unless its annotation says otherwise. */
  podReadyDelayMs: number;
  /** Everything that is simulated besides the Pods themselves; absent where nothing acts and only logs can be asked for. */
  controllers?: readonly Registration[] | undefined;
  /** Ends everything. */
  signal: AbortSignal;
  log?: (entry: LogEntry) => void;
}

export interface Workloads {
  openPodSession(asked: PodSessionRequest): PodSession;
  podLog(input: PodLogInput): string | AsyncIterable<string>;
  /** Resolves when all that is due is done; what the clock has yet to bring does not count. */
  idle(): Promise<void>;
}

const concurrency = 64;

/** Runs the simulated controllers and the simulated node until aborted. */
export function startWorkloads(options: WorkloadOptions): Workloads {
  const { objects, clock, signal, podReadyDelayMs, controllers, log = () => undefined } = options;
  const { pods, replicaSets, controllerRevisions } = resourceTypes;
  const events = new EventRecorder({ objects, clock, signal });
  const podLabels = new LabelIndex(objects, pods);
  const orphans = new OrphanIndex(objects, [pods, replicaSets, controllerRevisions]);
  const context: Context = { objects, clock, signal, podReadyDelayMs, events, podLabels, orphans, log };
  const kubelet = new Kubelet(context);
  const queues: WorkQueue[] = [];
  const registrations = controllers === undefined ? [] : [{ make: () => kubelet }, ...controllers];
  const begun = beginInTurn(context, registrations, (queue) => queues.push(queue));
  void sweepEvents({ objects, clock, signal }).catch((error: unknown) => {
    log({ level: "error", message: "events are no longer swept", error: String(error) });
  });
  const copied = new CopiedFiles();
  const inside = { objects, clock, signal, copied, runOf: (pod: Pod) => kubelet.runOf(pod) };
  return {
    openPodSession: (asked) => openPodSession(inside, asked),
    podLog: (input) => podLog(inside, input),
    idle: async () => {
      await begun;
      await idle(queues, events);
    },
  };
}

/**
 * Each looks at every object of its kinds when it begins: requests are answered in between, as by an API server. One
 * that meets an object that cannot be read keeps no other from its work.
 */
async function beginInTurn(
  context: Context,
  registrations: readonly Registration[],
  begun: (queue: WorkQueue) => void,
): Promise<void> {
  for (const { make, firstKeys = [] } of registrations) {
    await new Promise((resolve) => setImmediate(resolve));
    if (context.signal.aborted) return;
    const controller = make(context);
    try {
      const queue = run(context, controller);
      for (const key of firstKeys) queue.add(key);
      begun(queue);
    } catch (error) {
      context.log({ level: "error", message: `${controller.name} does not run`, error: String(error) });
    }
  }
}

function run(context: Context, controller: Controller): WorkQueue {
  const { objects, clock, signal, log } = context;
  const { name } = controller;
  const queue = new WorkQueue({
    concurrency,
    clock,
    signal,
    work: (key) => controller.reconcile(key),
    failed: (key, error) =>
      log({ level: "warn", message: `${name} could not settle ${key}`, error: String(error) }),
  });
  for (const { type, keysOf } of controller.watches) {
    for (const object of objects.list(type)) for (const key of keysOf(object, "ADDED")) queue.add(key);
    const end = objects.subscribe(type, ({ type: change, object }) => {
      for (const key of keysOf(object, change)) queue.add(key);
    });
    signal.addEventListener("abort", end, { once: true });
  }
  return queue;
}

/** Settled only when a whole round finds nothing to wait for: what one finishes may wake another. */
async function idle(queues: readonly WorkQueue[], events: EventRecorder): Promise<void> {
  for (;;) {
    const busy = queues.filter((queue) => !queue.isIdle);
    if (busy.length === 0 && events.isIdle) {
      await new Promise((resolve) => setImmediate(resolve));
      if (queues.every((queue) => queue.isIdle) && events.isIdle) return;
      continue;
    }
    await Promise.all([...busy.map((queue) => queue.drained()), events.drained()]);
  }
}
