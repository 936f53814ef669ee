/** A door of its own: grpc-js and protobuf take time to load, and only plugin servers need them. */
export { probeIsolation } from "./isolation/probe-isolation.ts";
export { socketFile } from "./served-plugin.ts";
export { followTls } from "./server/follow-tls.ts";
export type { CallEnd, CallFacts, TlsFiles } from "./server/grpc-listener.ts";
export { type PlacedPlugin, PluginServer } from "./server/plugin-server.ts";
export { pluginService } from "./server/plugin-service.ts";
export { RunQueue } from "./server/run-queue.ts";
export { WorkDirectories } from "./server/work-directories.ts";
export { commandPlugin } from "./sidecar/command-plugin.ts";
export { type PluginFile, readPluginFiles } from "./sidecar/plugin-file.ts";
export type { CommandSettings } from "./sidecar/run-plugin-command.ts";
export { Spawner } from "./spawner/spawner.ts";
