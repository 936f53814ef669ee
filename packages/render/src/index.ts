export type { RenderLimits } from "./limits.ts";
export type { RenderMetrics } from "./metrics.ts";
export { createRepoServer, type RepoServerOptions } from "./repo-server.ts";
