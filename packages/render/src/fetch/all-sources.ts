import type { GitSources } from "./git-sources.ts";
import type { HelmSources } from "./helm-sources.ts";
import type { Sources } from "./sources.ts";

/** A source with a chart comes from a Helm repository, every other from git. */
export function allSources(git: GitSources, helm: HelmSources): Sources {
  return {
    resolve: (request, signal) => (request.source.chart ? helm : git).resolve(request, signal),
    tree: (from, signal) => (from.source.chart ? helm : git).tree(from, signal),
    metadata: (from, signal) => (from.source.chart ? helm : git).metadata(from, signal),
  };
}
