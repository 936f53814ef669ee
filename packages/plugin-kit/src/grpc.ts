/** A door of its own: grpc-js and protobuf take time to load, and few need them. */
export { grpcClient } from "./rpc/grpc-client.ts";
export { type AroundCall, grpcService } from "./rpc/grpc-service.ts";
export { RpcError } from "./rpc/rpc-error.ts";
export { serveConnections } from "./rpc/serve-connections.ts";
export type { CallOptions, Calls, Handlers } from "./rpc/service-types.ts";
