import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";

export { listenOn } from "./listen-on.ts";
export { servedBelow, socketAskedFor } from "./served-place.ts";

/** Not imported: that reads the lazy members of the module too, which load an HTTP client (Node lib/http.js WebSocket). */
const { createServer } = process.getBuiltinModule("node:http");

interface Options {
  /** Proxies carry the connections of many callers: only the limit of all connections is theirs. */
  isProxy?(address: string): boolean;
  /** Requests that leave HTTP where they ask for it: the server's event `upgrade` has them. Default: none does. */
  mayUpgrade?(request: IncomingMessage): boolean;
  /** For tests: others than those that hold. */
  limits?: Partial<typeof ownLimits>;
}

const ownLimits = {
  /** An answer of which nothing is taken for so long is ended. */
  unreadAnswerMs: 60_000,
  maxFromOneAddress: 1_200,
};

/** Slow and silent callers are sent away after these times, whoever they are. */
const times = {
  headersTimeout: 15_000,
  /** The whole request, its body included. */
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
};
const maxConnections = 8_192;
/** Requests of one connection that wait for their answers: browsers have one at a time. */
const maxPipelined = 16;

interface Connection {
  readonly socket: Socket;
  /** What answers are written to: the same, or TLS over it, which keeps to itself what nobody takes. */
  written: Socket;
  readonly address: string;
  /** Requests without an answer. */
  open: number;
  /** Bytes that the reader had taken, and since when there were no more. */
  taken: number;
  takenAt: number;
}

/** An HTTP/1.1 server that no stranger can keep busy by being slow, silent, many, or by asking ahead. */
export function createLimitedServer(
  handler: RequestListener,
  { isProxy, mayUpgrade, limits }: Options = {},
): Server {
  const { unreadAnswerMs, maxFromOneAddress } = { ...ownLimits, ...limits };
  const connections = new Map<string, Connection>();
  const shouldUpgradeCallback = (request: IncomingMessage) => mayUpgrade?.(request) ?? false;
  const server = createServer({ ...times, shouldUpgradeCallback }, (request, response) => {
    const { socket } = request;
    const connection = connections.get(connectionName(socket));
    if (connection) {
      connection.written = socket;
      countOpen(connection, response);
      if (connection.open > maxPipelined) return void socket.destroy();
    }
    handler(request, response);
  });
  server.maxConnections = maxConnections;
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (!isProxy?.(address) && !makeRoom(address)) return void socket.destroy();
    const name = connectionName(socket);
    const takenAt = performance.now();
    connections.set(name, { socket, written: socket, address, open: 0, taken: 0, takenAt });
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

  limited.set(server, (socket, stream) => {
    const connection = connections.get(connectionName(socket));
    if (connection) countOpen(connection, stream);
    // Starts anew with each piece that goes out (Node lib/internal/http2/core.js callTimeout).
    stream.setTimeout(unreadAnswerMs, () => {
      if (stream.writableLength > 0) stream.close(cancelled);
    });
  });
  endUnreadAnswers(server, connections, unreadAnswerMs);
  return server;
}

type LimitStream = (socket: Pick<Socket, "remoteAddress" | "remotePort">, stream: ServerHttp2Stream) => void;
/** RFC 9113, 7. */
const cancelled = 0x8;
const limited = new WeakMap<Server, LimitStream>();

/** A request over HTTP/2 on a connection of that server, which holds its connection and its answer as one of HTTP/1. */
export function limitStream(server: Server, ...request: Parameters<LimitStream>): void {
  limited.get(server)?.(...request);
}

function countOpen(
  connection: Connection,
  answer: { once(event: "close", then: () => void): unknown },
): void {
  connection.open += 1;
  answer.once("close", () => {
    connection.open -= 1;
  });
}

/** The same of a connection and of what was made of it, as TLS over it. */
export function connectionName({
  remoteAddress,
  remotePort,
}: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}

function endUnreadAnswers(
  server: Server,
  connections: ReadonlyMap<string, Connection>,
  afterMs: number,
): void {
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = performance.now();
    for (const connection of connections.values()) {
      const { socket, written } = connection;
      const taken = written.bytesWritten - written.writableLength;
      if (written.writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.takenAt = now;
      } else if (now - connection.takenAt > afterMs) socket.destroy();
    }
  };
  server.on("listening", () => {
    timer ??= setInterval(look, afterMs / 12).unref();
  });
  server.on("close", () => clearInterval(timer));
}
