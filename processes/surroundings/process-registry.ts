import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import { KeptTextRegistry } from "./kept-text-registry.ts";

/** Each look at how late the event loop is wakes the process, which is what one at rest costs. */
const lookMs = 1_000;
/** Between looks of prom-client's own, which nobody reads. */
const dayMs = 86_400_000;

type Delay = ReturnType<typeof monitorEventLoopDelay>;

/** In seconds; the time between two looks is no lag. */
const late = (nanoseconds: number): number => Math.max((nanoseconds - lookMs * 1e6) / 1e9, 0);

const readings: Readonly<Record<string, (delay: Delay) => number>> = {
  min: ({ min }) => late(min),
  max: ({ max }) => late(max),
  mean: ({ mean }) => late(mean),
  stddev: ({ stddev }) => stddev / 1e9,
  p50: (delay) => late(delay.percentile(50)),
  p90: (delay) => late(delay.percentile(90)),
  p99: (delay) => late(delay.percentile(99)),
};

/** For the metrics of a program: what its process costs (process_…, nodejs_…) is in it. */
export function processRegistry(): Registry {
  const registry = new KeptTextRegistry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: dayMs });
  registerEventLoopLag(registry);
  return registry;
}

/**
 * In place of prom-client's, which tell the time from one look to the next as lag: a process at rest would be late by it.
 * Of what was seen since they were last read.
 */
function registerEventLoopLag(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: lookMs });
  delay.enable();
  for (const [name, read] of Object.entries(readings)) {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    registry.removeSingleMetric(metric);
    new Gauge({
      name: metric,
      help: `How late the event loop was, ${name} since this was last read, in seconds.`,
      registers: [registry],
      collect() {
        this.set(delay.count === 0 ? 0 : read(delay));
        if (name === last) delay.reset();
      },
    });
  }
}

const last = Object.keys(readings).at(-1);
