import type { Duplex } from "node:stream";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { GrpcService } from "./grpc-service.ts";

/** gRPC on connections that somebody else has accepted. */
export interface ConnectionServer {
  take(connection: Duplex): void;
  /** Callers are told to begin what is new elsewhere; resolves when what they have begun is answered. */
  drain(graceMs: number): Promise<void>;
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
  const open = new Set<Duplex>();
  let onClose: () => void = () => undefined;
  return {
    take(connection) {
      open.add(connection);
      connection.once("close", () => {
        open.delete(connection);
        onClose();
      });
      injector.injectConnection(connection);
    },
    drain: (graceMs) =>
      new Promise((resolve) => {
        onClose = () => {
          if (open.size === 0) resolve();
        };
        injector.drain(graceMs);
        onClose();
      }),
    close: () => {
      injector.destroy();
      server.forceShutdown();
    },
  };
}
