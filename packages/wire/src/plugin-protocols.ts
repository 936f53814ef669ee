/** A door of its own: the command line starts without loading protobuf. */

/** Argo CD's protocol between repo-server and plugin sidecars. */
export * as cmp from "./generated/argocd/plugin_pb.ts";
/** Capstan's protocol for plugins. */
export * as pluginV1 from "./generated/capstan/plugin_pb.ts";
