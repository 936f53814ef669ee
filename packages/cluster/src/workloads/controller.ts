import type { Clock } from "@capstan/flow";
import type { KubeObject, Objects, WatchEvent } from "../types.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { LabelIndex } from "./label-index.ts";
import type { OrphanIndex } from "./orphan-index.ts";

export interface LogEntry {
  level: "info" | "warn" | "error";
  message: string;
  [field: string]: unknown;
}

/** What every simulated controller is given. */
export interface Context {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly podReadyDelayMs: number;
  readonly events: EventRecorder;
  /** Pods by their labels. */
  readonly podLabels: LabelIndex;
  /** Pods, ReplicaSets and ControllerRevisions that no controller owns. */
  readonly orphans: OrphanIndex;
  log(entry: LogEntry): void;
}

/** A controller to be started. */
export interface Registration {
  make(context: Context): Controller;
  /** Keys to look at once, even though nothing is there yet. */
  readonly firstKeys?: readonly string[];
}

/** Which changes of one resource concern a controller, as keys of the objects it must look at. */
export interface Watch {
  type: string;
  keysOf(object: KubeObject, change: WatchEvent["type"]): Iterable<string>;
}

/** Level-triggered: `reconcile` looks at what is, never at what happened. */
export interface Controller {
  readonly name: string;
  readonly watches: readonly Watch[];
  /** Answers after how many ms to look again, if at all. */
  reconcile(key: string): Promise<number | undefined>;
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** A watch of the objects that a controller is named after. */
export function ownChanges(type: string): Watch {
  return { type, keysOf: (object) => [keyOf(object)] };
}

/** The object of a key, or undefined when it has gone. */
export function lookUp<T extends KubeObject>(objects: Objects, type: string, key: string): T | undefined {
  const { namespace, name } = splitKey(key);
  return objects.get<T>(type, namespace, name);
}

/** Kubernetes' time format: whole seconds, UTC. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
