/** A door of its own: grpc-js and protobuf take time to load, and only plugin servers need them. */
export { type Isolation, probeIsolation } from "./isolation/probe-isolation.ts";
export {
  callName,
  type PluginDescription,
  type RunResult,
  type ServedPlugin,
  type Shape,
  type SourceDetails,
  type SourceRun,
  socketFile,
} from "./served-plugin.ts";
export type { ArchiveLimits } from "./server/extract-archive.ts";
export { followTls } from "./server/follow-tls.ts";
export type { CallEnd, CallFacts, ListenerSettings, TlsFiles } from "./server/grpc-listener.ts";
export { type PlacedPlugin, PluginServer } from "./server/plugin-server.ts";
export { pluginService } from "./server/plugin-service.ts";
export { RunQueue } from "./server/run-queue.ts";
export type { TlsPaths } from "./server/tls-paths.ts";
export { WorkDirectories } from "./server/work-directories.ts";
export { commandPlugin } from "./sidecar/command-plugin.ts";
export { type PluginFile, readPluginFiles } from "./sidecar/plugin-file.ts";
export type { CommandSettings } from "./sidecar/run-plugin-command.ts";
export { Spawner } from "./spawner/spawner.ts";
