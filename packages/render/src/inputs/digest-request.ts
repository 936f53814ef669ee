import { hash } from "node:crypto";
import { canonicalJson } from "@capstan/formats";
import type { Inputs, SourceTree } from "@capstan/plugin-kit";
import type { ManifestRequest } from "@capstan/wire";
import type { InstalledPlugins } from "../remote/installed-plugins.ts";

/** Everything but the files that an answer can depend on. */
export function digestRequest(
  request: ManifestRequest,
  revision: string,
  { refs, installed }: { refs: Readonly<Record<string, SourceTree>>; installed: InstalledPlugins },
): string {
  const { repository, source, appName, namespace, project, kubeVersion, apiVersions, settings } = request;
  const refRevisions = Object.entries(refs).map(([name, tree]) => [name, tree.revision]);
  const refUrls = Object.entries(request.refSources ?? {}).map(([name, ref]) => [name, ref.repository.url]);
  const all = [
    repository.url,
    revision,
    source,
    appName,
    namespace,
    project,
    kubeVersion,
    apiVersions.join(), // a long list of names
    settings,
    request.manifestGeneratePaths ?? "",
    request.secretStores ?? "",
    request.isDestinationHere ?? false,
    request.sourceRepos ?? [],
    refRevisions,
    refUrls,
    installed.digest,
  ];
  return hash("sha256", canonicalJson(all), "hex");
}

/** What another project fetched, or this one under other rules, is nobody's answer: fetched files are not in the tree. */
export function underRules({ project, sourceRepos }: ManifestRequest, inputs: Inputs): Inputs {
  return sourceRepos ? { ...inputs, facts: { own: inputs.facts, project, sourceRepos } } : inputs;
}
