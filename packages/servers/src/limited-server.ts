import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";

export { listenOn } from "./listen-on.ts";
export { servedBelow } from "./served-place.ts";

/** Not imported: that reads the lazy members of the module too, which load an HTTP client (Node lib/http.js WebSocket). */
const { createServer } = process.getBuiltinModule("node:http");

interface Options {
  /** Proxies carry the connections of many callers: only the limit of all connections is theirs. */
  isProxy?(address: string): boolean;
}

/** Slow and silent callers are sent away after these times, whoever they are. */
const times = {
  headersTimeout: 15_000,
  /** The whole request, its body included. */
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
};
const unreadAnswerMs = 60_000;
const maxConnections = 8_192;
const maxFromOneAddress = 1_200;
/** Requests of one connection that wait for their answers: browsers have one at a time. */
const maxPipelined = 16;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Requests without an answer. */
  open: number;
  /** Bytes that the reader had taken, and since when there were no more. */
  taken: number;
  takenAt: number;
}

/** An HTTP/1.1 server that no stranger can keep busy by being slow, silent, many, or by asking ahead. */
export function createLimitedServer(handler: RequestListener, { isProxy }: Options = {}): Server {
  const connections = new Map<string, Connection>();
  const server = createServer(times, (request, response) => {
    const connection = connections.get(connectionName(request.socket));
    if (connection) {
      connection.open += 1;
      response.once("close", () => {
        connection.open -= 1;
      });
      if (connection.open > maxPipelined) return void request.socket.destroy();
    }
    handler(request, response);
  });
  server.maxConnections = maxConnections;
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (!isProxy?.(address) && !makeRoom(address)) return void socket.destroy();
    const name = connectionName(socket);
    connections.set(name, { socket, address, open: 0, taken: 0, takenAt: performance.now() });
    socket.once("close", () => connections.delete(name));
  });

  /** One caller's own idle connections make room for its next. */
  function makeRoom(address: string): boolean {
    let [count, oldest]: [number, Socket | undefined] = [0, undefined];
    if (connections.size < maxFromOneAddress) return true;
    for (const connection of connections.values()) {
      if (connection.address !== address) continue;
      count += 1;
      if (connection.open === 0) oldest ??= connection.socket;
    }
    if (count < maxFromOneAddress) return true;
    oldest?.destroy();
    return oldest !== undefined;
  }

  endUnreadAnswers(server, connections);
  return server;
}

/** The same of a connection and of what was made of it, as TLS over it. */
export function connectionName({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function endUnreadAnswers(server: Server, connections: ReadonlyMap<string, Connection>): void {
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = performance.now();
    for (const connection of connections.values()) {
      const { socket } = connection;
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.takenAt = now;
      } else if (now - connection.takenAt > unreadAnswerMs) socket.destroy();
    }
  };
  server.on("listening", () => {
    timer ??= setInterval(look, 5_000).unref();
  });
  server.on("close", () => clearInterval(timer));
}
