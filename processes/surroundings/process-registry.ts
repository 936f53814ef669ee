import { collectDefaultMetrics, type Registry } from "prom-client";
import { KeptTextRegistry } from "./kept-text-registry.ts";

/** For the metrics of a program: what its process costs (process_…, nodejs_…) is in it. */
export function processRegistry(): Registry {
  const registry = new KeptTextRegistry();
  // How late the event loop is costs a timer, a third of what a process costs at rest: four turns a second tell enough.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 250 });
  return registry;
}
