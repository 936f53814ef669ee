import { isOciUrl } from "@capstan/registries";
import type { GitSources } from "./git-sources.ts";
import type { HelmSources } from "./helm-sources.ts";
import type { OciSources } from "./oci-sources.ts";
import type { SourceAt, Sources } from "./sources.ts";

/** What came with the request stands for the source. Else a source with a chart comes from a Helm repository, one by oci:// from a registry, every other from git. */
export function allSources(of: {
  git: GitSources;
  charts: HelmSources;
  artifacts: OciSources;
  uploads: Sources;
}): Sources {
  const choose = ({ source, repository, uploaded }: Omit<SourceAt, "revision">): Sources => {
    if (uploaded !== undefined) return of.uploads;
    if (source.chart) return of.charts;
    return isOciUrl(repository.url) ? of.artifacts : of.git;
  };
  return {
    resolve: (request, signal) => choose(request).resolve(request, signal),
    tree: (from, signal) => choose(from).tree(from, signal),
    metadata: (from, signal) => choose(from).metadata(from, signal),
  };
}
