import type { RepoAppDetails, SourceDescription } from "@capstan/wire";

/** As Argo CD tells what can be set for a source. */
export function sourceDetails({ sourceType, helm, kustomize, stages }: SourceDescription): RepoAppDetails {
  if (sourceType === "Helm")
    return {
      type: sourceType,
      helm: {
        valueFiles: [...(helm?.valueFiles ?? [])],
        parameters: [...(helm?.parameters ?? [])],
        values: helm?.values ?? "",
      },
    };
  if (sourceType === "Kustomize")
    return { type: sourceType, kustomize: { images: [...(kustomize?.images ?? [])] } };
  if (sourceType === "Directory") return { type: sourceType, directory: {} };
  return {
    type: sourceType,
    plugin: { parametersAnnouncement: stages.flatMap(({ announced }) => announced) },
  };
}

/** The inverse, of what another repo server tells: its sources have one stage, of a plugin that it does not name. */
export function describedBy(details: RepoAppDetails, plugin: string): SourceDescription {
  const { type: sourceType, helm, kustomize } = details;
  const announced = details.plugin?.parametersAnnouncement ?? [];
  const stage = { name: plugin, plugin, sensitive: false, announced, parameters: [], env: [] };
  return {
    plugin,
    sourceType,
    stages: [stage],
    ...(helm && {
      helm: {
        valueFiles: helm.valueFiles ?? [],
        values: helm.values ?? "",
        parameters: helm.parameters ?? [],
      },
    }),
    ...(kustomize && { kustomize: { images: kustomize.images ?? [] } }),
  };
}
