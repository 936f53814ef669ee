import { parseDuration } from "@capstan/formats";
import type { KubeObject } from "../types.ts";

/** Annotations on a Pod, usually set on the Pod template of its workload. */
export const simulateAnnotation = "capstan.dev/simulate";
export const simulateDelayAnnotation = "capstan.dev/simulate-delay";

export const nodeName = "capstan-simulated";
export const hostIP = "192.0.2.1";
/** From TEST-NET-1 (RFC 5737): an address that routes nowhere. */
export const loadBalancerIP = "192.0.2.10";
export const nothingRuns = "simulated by capstan: nothing really runs";

const modes = ["fail", "crash-loop", "pending", "never-ready", "image-pull-error"] as const;
export type SimulationMode = (typeof modes)[number];

/** What the annotation asks for; undefined when it is absent or unknown. */
export function simulationMode(object: KubeObject): SimulationMode | undefined {
  const asked = object.metadata.annotations?.[simulateAnnotation];
  return modes.find((mode) => mode === asked);
}

/** How long a Pod takes to become Ready. */
export function readyDelayMs(object: KubeObject, usualMs: number): number {
  const text = object.metadata.annotations?.[simulateDelayAnnotation];
  return (text === undefined ? undefined : durationMs(text)) ?? usualMs;
}

/** A duration of Go ("1m30s", "500ms"), days too; a bare number counts seconds, as `sleep` has it. */
export function durationMs(text: string): number | undefined {
  return /^\d+\.\d+$/.test(text) ? Number(text) * 1_000 : parseDuration(text, { days: true });
}
