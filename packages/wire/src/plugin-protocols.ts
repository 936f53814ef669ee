/** A door of its own: the command line starts without loading protobuf. */

/** Argo CD's protocol between repo-server and plugin sidecars. */
export * as cmp from "./generated/argocd/plugin_pb.ts";
/** Argo CD's protocol between its other programs and its repo server, and the messages of its API that are in it. */
export * as reposerver from "./generated/argocd/reposerver_pb.ts";
export * as repositoryService from "./generated/argocd/repository_service_pb.ts";
export * as argocdTypes from "./generated/argocd/v1alpha1_pb.ts";
/** Argo CD's version service. */
export * as version from "./generated/argocd/version_pb.ts";
/** Capstan's protocol for plugins. */
export * as pluginV1 from "./generated/capstan/plugin_pb.ts";
/** What every gRPC server answers. */
export * as health from "./generated/grpc/health_pb.ts";
export * as reflection from "./generated/grpc/reflection_pb.ts";
