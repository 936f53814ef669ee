import type { ApplicationSource } from "@capstan/model";
import type { SourceTree } from "@capstan/plugin-kit";
import type { Repository, ResolvedRevision, RevisionRequest } from "@capstan/wire";

/** One kind of place that files come from. */
export interface Sources {
  resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision>;
  tree(
    from: { repository: Repository; source: ApplicationSource; revision: string },
    signal: AbortSignal,
  ): Promise<SourceTree>;
}
