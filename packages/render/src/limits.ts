/** What one render, and all of them together, may cost. */
export interface RenderLimits {
  /** How long a remote's answer about its branches holds. */
  revisionCacheMs: number;
  requestTimeoutMs: number;
  fetchTimeoutMs: number;
  /** For each program that a render starts. */
  renderTimeoutMs: number;
  /** For all that a render does, from the first program or function to the last. */
  runTimeoutMs: number;
  maxFileBytes: number;
  /** All files of one render together. */
  maxTreeBytes: number;
  maxFiles: number;
  maxOutputBytes: number;
  maxCacheBytes: number;
  maxWaitingRenders: number;
}

/** Times are Argo CD's defaults (--revision-cache-expiration, ARGOCD_GIT_REQUEST_TIMEOUT, ARGOCD_EXEC_TIMEOUT). */
export const defaultLimits: RenderLimits = {
  revisionCacheMs: 180_000,
  requestTimeoutMs: 15_000,
  fetchTimeoutMs: 90_000,
  renderTimeoutMs: 90_000,
  runTimeoutMs: 600_000,
  maxFileBytes: 64 * 2 ** 20,
  maxTreeBytes: 2 ** 30,
  maxFiles: 100_000,
  maxOutputBytes: 128 * 2 ** 20,
  maxCacheBytes: 256 * 2 ** 20,
  maxWaitingRenders: 10_000,
};
