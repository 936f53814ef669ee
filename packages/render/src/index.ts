export type { RenderMetrics } from "./metrics.ts";
export { loadRpc } from "./remote/rpc.ts";
export { createRepoServer, type RepoServerOptions } from "./repo-server.ts";
