import type { SourceTree } from "@capstan/plugin-kit";
import type { RevisionRequest } from "@capstan/wire";
import type { GitSources } from "./git-sources.ts";

/** The files of the commit that a revision means; what callers name becomes a commit before git is asked for it. */
export async function resolvedTree(
  git: Pick<GitSources, "resolve" | "tree">,
  request: RevisionRequest,
  signal: AbortSignal,
): Promise<SourceTree> {
  const { revision } = await git.resolve(request, signal);
  return git.tree({ ...request, revision }, signal);
}
