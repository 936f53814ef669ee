import type { Duplex } from "node:stream";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { GrpcService } from "./grpc-service.ts";

/** gRPC on connections that somebody else has accepted. */
export interface ConnectionServer {
  take(connection: Duplex): void;
  close(): void;
}

export function serveConnections(
  services: readonly GrpcService[],
  { maxMessageBytes }: { maxMessageBytes: number },
): ConnectionServer {
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });
  for (const { definition, implementation } of services) server.addService(definition, implementation);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    take: (connection) => injector.injectConnection(connection),
    close: () => {
      injector.destroy();
      server.forceShutdown();
    },
  };
}
