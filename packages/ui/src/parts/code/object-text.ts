import { toYaml } from "./to-yaml.ts";

const noise = ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"];
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Reading {
  /** Shows what the cluster keeps for itself, too. */
  readonly noise: boolean;
  /** The status is no part of what git says, so comparisons leave it out. */
  readonly status: boolean;
}

export function parseObject(json: string | undefined): unknown {
  if (!json) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The object as YAML, without what nobody reads it for; an absent object is an empty text. */
export function objectText(value: unknown, reading: Reading): string {
  const shown = shownObject(value, reading);
  return shown ? toYaml(shown) : "";
}

export function shownObject(value: unknown, reading: Reading): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  const copy: Record<string, unknown> = { ...value };
  if (!reading.status) delete copy.status;
  if (!reading.noise && isObject(copy.metadata)) copy.metadata = withoutNoise(copy.metadata);
  return copy;
}

function withoutNoise(metadata: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !noise.includes(name)));
  if (!isObject(kept.annotations) || !(lastApplied in kept.annotations)) return kept;
  const { [lastApplied]: _, ...annotations } = kept.annotations;
  return Object.keys(annotations).length > 0 ? { ...kept, annotations } : without(kept, "annotations");
}

function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}
