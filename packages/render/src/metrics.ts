/** What the render side tells whoever counts. */
/** What a registry is asked, in Argo CD's words (reposerver/metrics/ocihandlers.go). */
export type OciRequest = "resolve-revision" | "extract" | "digest-metadata" | "get-tags" | "test-repo";

export interface RenderMetrics {
  queue(state: { waiting: number; running: number }): void;
  answered(from: "hit" | "miss"): void;
  rendered(plugin: string, ms: number, queueMs: number): void;
  failed(plugin: string): void;
  /** A question put to a git server: its address without a user, and how long the answer took. */
  git(asked: { repo: string; request: "ls-remote" | "fetch"; ms: number; ok: boolean }): void;
  /** A question put to a registry about artifacts: its address without a user, and how long the answer took. */
  oci(asked: { repo: string; request: OciRequest; ms: number; ok: boolean }): void;
  /** A request about a repository, by its address without a user, has begun (1) or ended (-1). */
  pending(repo: string, by: 1 | -1): void;
  /** Content that went to a plugin elsewhere. */
  sent(plugin: string, bytes: number): void;
}

export const noMetrics: RenderMetrics = {
  queue: () => undefined,
  answered: () => undefined,
  rendered: () => undefined,
  failed: () => undefined,
  git: () => undefined,
  oci: () => undefined,
  pending: () => undefined,
  sent: () => undefined,
};
