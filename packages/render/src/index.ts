export type { RenderMetrics } from "./metrics.ts";
export { createRepoServer, type RenderLimits, type RepoServerOptions } from "./repo-server.ts";
