import { isRecord } from "@capstan/formats";
import type { ApplicationSource, ApplicationSpec } from "@capstan/model";

/**
 * A specification as it is kept: its project named, and of its source and policy no part that says nothing, so that a
 * source from which the last parameter of a tool was taken is of no tool again (util/argo NormalizeApplicationSpec;
 * that of several sources is kept as it is).
 */
export function normalSpec(spec: ApplicationSpec): ApplicationSpec {
  const { syncPolicy, source, ...rest } = spec;
  const { syncOptions = [], ...policies } = syncPolicy ?? {};
  const hasPolicy = syncOptions.length > 0 || Object.values(policies).some((one) => one !== undefined);
  return {
    ...rest,
    project: spec.project || "default",
    ...(source ? { source: spec.sources?.length ? source : normalSource(source) } : {}),
    ...(hasPolicy ? { syncPolicy } : {}),
  };
}

function normalSource({ helm, kustomize, directory, ...rest }: ApplicationSource): ApplicationSource {
  return {
    ...rest,
    ...(isNothing(helm) ? {} : { helm }),
    ...(isNothing(kustomize) ? {} : { kustomize }),
    ...(isNothing(directory) ? {} : { directory }),
  };
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null || value === "" || value === false;
}
