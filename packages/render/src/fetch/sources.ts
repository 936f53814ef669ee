import type { ApplicationSource, Repository } from "@capstan/model";
import type { SourceTree } from "@capstan/plugin-kit";
import type { ResolvedRevision, RevisionMetadata, RevisionRequest } from "@capstan/wire";

/** A source at a resolved revision. */
export interface SourceAt {
  repository: Repository;
  source: ApplicationSource;
  revision: string;
  /** Of its metadata: also what has to be fetched for them. */
  withDetails?: boolean;
  /** As a ManifestRequest has it. */
  uploaded?: string;
}

/** One kind of place that files come from. */
export interface Sources {
  resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision>;
  tree(from: SourceAt, signal: AbortSignal): Promise<SourceTree>;
  metadata(from: SourceAt, signal: AbortSignal): Promise<RevisionMetadata>;
}
