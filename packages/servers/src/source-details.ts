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
