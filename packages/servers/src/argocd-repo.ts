/** A door of its own: gRPC and protobuf take time to load, and only a repo server of several machines needs them. */
export { argocdRepoConnections } from "./argocd-repo/connections.ts";
export { dialArgocdRepo } from "./argocd-repo/dial-foreign.ts";
