/** A door of its own: a plugin's program starts without the messages of Argo CD's API, which take longer than all of its. */

/** Argo CD's protocol between its other programs and its repo server, and the messages of its API that are in it. */
export * as reposerver from "./generated/argocd/reposerver_pb.ts";
export * as repositoryService from "./generated/argocd/repository_service_pb.ts";
export * as argocdTypes from "./generated/argocd/v1alpha1_pb.ts";
