/** A door of its own: the command line starts without loading protobuf. */

/** Argo CD's protocol between repo-server and plugin sidecars. */
export * as cmp from "./generated/argocd/plugin_pb.ts";
/** Argo CD's version service. */
export * as version from "./generated/argocd/version_pb.ts";
/** Capstan's protocol for plugins. */
export * as pluginV1 from "./generated/capstan/plugin_pb.ts";
/** What every gRPC server answers. */
export * as health from "./generated/grpc/health_pb.ts";
export * as reflection from "./generated/grpc/reflection_pb.ts";
