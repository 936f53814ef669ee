import { isRecord } from "@capstan/formats";
import type { ApplicationSource, ApplicationSpec } from "@capstan/model";

/**
 * A specification as it is kept: its project named, and of its source and policy no part that says nothing, so that a
 * source from which the last parameter of a tool was taken is of no tool again (util/argo NormalizeApplicationSpec;
 * that of several sources is kept as it is).
 */
export function normalSpec(spec: ApplicationSpec): ApplicationSpec {
  const normal: ApplicationSpec = { ...spec, project: spec.project || "default" };
  if (spec.source && !spec.sources?.length) normal.source = normalSource(spec.source);
  const { syncOptions = [], ...policies } = spec.syncPolicy ?? {};
  const hasPolicy = syncOptions.length > 0 || Object.values(policies).some((one) => one !== undefined);
  if (!hasPolicy) delete normal.syncPolicy;
  return normal;
}

function normalSource(source: ApplicationSource): ApplicationSource {
  const normal = { ...source };
  for (const tool of ["helm", "kustomize", "directory"] as const)
    if (isNothing(normal[tool])) delete normal[tool];
  return normal;
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null || value === "" || value === false;
}
