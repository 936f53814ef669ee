import { CapstanError, withoutUserinfo } from "@capstan/model";
import type { SourceTree } from "@capstan/plugin-kit";
import type { ManifestRequest } from "@capstan/wire";
import { normaliseUrl } from "./repository-url.ts";
import type { Sources } from "./sources.ts";
import type { Submodules } from "./submodules.ts";

/**
 * The trees that `$ref/…` may point into. One commit per repository: two would make it unclear which is meant
 * (Argo CD: reposerver runManifestGenAsync, "cannot reference a different revision of the same repository").
 */
export async function openRefs(
  request: ManifestRequest & { revision: string },
  { sources, submodules }: { sources: Sources; submodules: Submodules },
  signal: AbortSignal,
): Promise<Record<string, SourceTree>> {
  const { refSources = {}, repository, source, revision, noRevisionCache, revisionNotBefore } = request;
  const freshness = {
    ...(noRevisionCache === undefined ? {} : { noRevisionCache }),
    ...(revisionNotBefore === undefined ? {} : { revisionNotBefore }),
  };
  const seen = new Map(source.chart ? [] : [[normaliseUrl(repository.url), revision]]);
  const trees: Record<string, SourceTree> = {};
  for (const [name, ref] of Object.entries(refSources)) {
    if (ref.source.chart)
      throw invalid(name, "it names a chart: only files of git repositories can be referred to");
    const resolved = await sources.resolve({ ...ref, ...freshness }, signal);
    const url = normaliseUrl(ref.repository.url);
    const before = seen.get(url);
    if (before !== undefined && before !== resolved.revision) {
      const problem = `${withoutUserinfo(ref.repository.url)} is used at ${before} and at ${resolved.revision}. Use one targetRevision for both`;
      throw invalid(name, problem);
    }
    seen.set(url, resolved.revision);
    const tree = await sources.tree({ ...ref, revision: resolved.revision }, signal);
    trees[name] = await submodules.complete(tree, { request, repository: ref.repository }, signal);
  }
  return trees;
}

function invalid(name: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: `source with ref "${name}"`, problem });
}
