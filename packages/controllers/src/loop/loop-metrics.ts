import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** What a queue tells of itself. */
export interface LoopMetrics {
  /** Of the queue. */
  readonly name: string;
  added(): void;
  started(waitedMs: number): void;
  finished(workedMs: number): void;
  depth(waiting: number, running: number): void;
}

const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Names as controller-runtime's work queues have them, which dashboards of Argo CD read. */
export function createLoopMetrics(registry: Registry, name: string): LoopMetrics {
  const own = { labelNames: ["name"] as const, registers: [registry] };
  const reuse = <T>(metric: string, make: () => T, is: (value: unknown) => value is T): T => {
    const known: unknown = registry.getSingleMetric(metric);
    return is(known) ? known : make();
  };
  const counter = (metric: string, help: string) =>
    reuse(metric, () => new Counter({ ...own, name: metric, help }), isCounter);
  const gauge = (metric: string, help: string) =>
    reuse(metric, () => new Gauge({ ...own, name: metric, help }), isGauge);
  const histogram = (metric: string, help: string) =>
    reuse(metric, () => new Histogram({ ...own, name: metric, help, buckets }), isHistogram);
  const adds = counter("workqueue_adds_total", "Keys added to the queue");
  const waiting = gauge("workqueue_depth", "Keys waiting in the queue");
  const running = gauge("workqueue_running", "Keys being worked on");
  const waited = histogram("workqueue_queue_duration_seconds", "Time that keys waited");
  const worked = histogram("workqueue_work_duration_seconds", "Time that work on a key took");
  return {
    name,
    added: () => adds.inc({ name }),
    started: (ms) => waited.observe({ name }, ms / 1000),
    finished: (ms) => worked.observe({ name }, ms / 1000),
    depth(waitingKeys, runningKeys) {
      waiting.set({ name }, waitingKeys);
      running.set({ name }, runningKeys);
    },
  };
}

function isCounter(value: unknown): value is Counter<"name"> {
  return value instanceof Counter;
}

function isGauge(value: unknown): value is Gauge<"name"> {
  return value instanceof Gauge;
}

function isHistogram(value: unknown): value is Histogram<"name"> {
  return value instanceof Histogram;
}
