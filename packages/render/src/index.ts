export type { RenderMetrics } from "./metrics.ts";
export { createRepoServer, type RepoServerOptions } from "./repo-server.ts";
