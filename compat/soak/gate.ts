import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A way to a server on the loopback that can be shut and opened again, always on the same port. */
export interface Gate extends AsyncDisposable {
  readonly port: number;
  /** Open connections break, new ones are refused. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

export async function openGate(target: { port: number }): Promise<Gate> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const open = async (): Promise<void> => {
    if (server) return;
    server = createServer((client) => {
      const upstream = connect(target.port, "127.0.0.1");
      hold(client);
      hold(upstream);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address !== null && typeof address === "object") port = address.port;
  };
  const shut = async (): Promise<void> => {
    const closing = server;
    if (!closing) return;
    server = undefined;
    const closed = once(closing, "close");
    closing.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  return { port, shut, open, [Symbol.asyncDispose]: shut };
}
