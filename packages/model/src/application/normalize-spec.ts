import { equalJson } from "@capstan/formats";
import type { ApplicationSource } from "./source.ts";
import type { ApplicationSpec } from "./spec.ts";

/**
 * Empty blocks taken out, and the project named (util/argo/argo.go NormalizeApplicationSpec): the very spec where that
 * changes nothing, since what is found out of a spec is kept by it.
 */
export function normalizeApplicationSpec(spec: ApplicationSpec): ApplicationSpec {
  const normal: ApplicationSpec = { ...spec, project: spec.project || "default" };
  if (spec.source) normal.source = normalizeSource(spec.source);
  if (spec.sources) normal.sources = spec.sources.map(normalizeSource);
  // `automated: {}` is a choice, not nothing (types.go SyncPolicy.IsZero asks for nil).
  if (spec.syncPolicy && !spec.syncPolicy.automated && isEmpty(spec.syncPolicy)) delete normal.syncPolicy;
  return equalJson(normal, spec) ? spec : normal;
}

function normalizeSource(source: ApplicationSource): ApplicationSource {
  const normal = { ...source };
  if (source.helm && isEmpty(source.helm)) delete normal.helm;
  if (source.kustomize && isEmpty(source.kustomize)) delete normal.kustomize;
  if (source.directory && isEmpty(source.directory)) delete normal.directory;
  return normal;
}

/** Go's zero value: no field set to anything but false, empty or nothing. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}
