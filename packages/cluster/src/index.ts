export type { AuditEvent, AuditOptions } from "./server/audit.ts";
export { type ClusterOptions, type EmbeddedCluster, type LogEntry, startCluster } from "./start-cluster.ts";
export type { ApiRequest, ApiResponse } from "./types.ts";
