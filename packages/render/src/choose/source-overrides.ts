import { isRecord } from "@capstan/formats";
import { type ApplicationSource, CapstanError, parseYaml } from "@capstan/model";
import type { SourceTree } from "@capstan/plugin-kit";

/** What says where the source is, which a file within it may not change. */
const restored = ["repoURL", "path", "chart", "targetRevision"] as const;

/**
 * The source with `.argocd-source.yaml` and `.argocd-source-<app>.yaml` of its directory merged over it. A null in
 * them unsets nothing and maps are merged, because Argo CD decodes the result onto the existing struct
 * (reposerver mergeSourceParameters).
 */
export async function applyOverrides(
  source: ApplicationSource,
  { tree, path, appName }: { tree: SourceTree; path: string; appName: string },
): Promise<ApplicationSource> {
  let merged: ApplicationSource = source;
  for (const name of [".argocd-source.yaml", `.argocd-source-${appName}.yaml`]) {
    if (name.includes("/")) continue;
    const file = path === "" ? name : `${path}/${name}`;
    const entry = await tree.entry(file);
    if (entry?.kind !== "file" && entry?.kind !== "executable") continue;
    const patch = parseYaml((await tree.read(entry)).toString(), { file });
    if (patch === undefined) continue;
    merged = mergeSource(merged, patch, file);
  }
  return merged;
}

function mergeSource(source: ApplicationSource, patch: unknown, file: string): ApplicationSource {
  if (!isRecord(patch))
    throw new CapstanError({
      code: "YAML_INVALID",
      file,
      problem: "it must hold fields of an application source, like kustomize: or helm:",
    });
  const merged = mergeRecords(source, patch);
  for (const field of restored) {
    if (source[field] === undefined) delete merged[field];
    else merged[field] = source[field];
  }
  return { ...merged, repoURL: source.repoURL };
}

function mergeRecords(base: object, patch: object): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) continue;
    const old = merged[field];
    merged[field] = isRecord(old) && isRecord(value) ? mergeRecords(old, value) : value;
  }
  return merged;
}
