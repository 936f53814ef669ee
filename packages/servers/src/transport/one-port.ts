import type { IncomingHttpHeaders, Server } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { Socket } from "node:net";

/** First bytes of a client that speaks HTTP/2 without having asked (RFC 9113, 3.4); no method of HTTP/1 begins so. */
const preface = Buffer.from("PRI");

/** Slow callers are sent away, as with HTTP/1. */
const [idleMs, bodyMs] = [65_000, 60_000];

const limits = {
  settings: { maxConcurrentStreams: 250, maxHeaderListSize: 64 * 1024 },
  maxSessionMemory: 16,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 50,
};

/**
 * Lets an HTTP/1 server's port take HTTP/2 in plain text too: a connection's first bytes say which of the two it is.
 * The server's own limits of connections hold for both. Connections that are not HTTP/1's end with the signal.
 */
export function acceptHttp2(
  server: Server,
  handler: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  signal: AbortSignal,
): void {
  const sockets = new Set<Socket>();
  signal.addEventListener("abort", () => {
    for (const socket of sockets) socket.destroy();
  });
  const http2 = createHttp2Server(limits, (request, response) => {
    endSlowBody(request);
    handler(request, response);
  });
  http2.on("session", (session) => {
    let open = 0;
    session.on("stream", (stream) => {
      open += 1;
      stream.once("close", () => {
        open -= 1;
      });
    });
    session.setTimeout(idleMs, () => {
      if (open === 0) session.close();
    });
  });
  const [http1, ...others] = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    for (const listener of others) listener.call(server, socket);
    if (socket.destroyed) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    firstBytes(socket, (bytes) => {
      socket.unshift(bytes);
      if (bytes.subarray(0, preface.length).equals(preface)) return void http2.emit("connection", socket);
      sockets.delete(socket);
      http1?.call(server, socket);
    });
  });
}

/** Waits for enough to tell the two apart. Whoever says nothing is sent away. */
function firstBytes(socket: Socket, take: (bytes: Buffer) => void): void {
  let seen = Buffer.alloc(0);
  const leave = () => socket.destroy();
  const look = () => {
    const more: unknown = socket.read();
    if (Buffer.isBuffer(more)) seen = Buffer.concat([seen, more]);
    else if (socket.readableEnded) return leave();
    if (seen.length < preface.length && preface.subarray(0, seen.length).equals(seen)) return;
    socket.off("readable", look).off("timeout", leave).off("error", leave).setTimeout(0);
    take(seen);
  };
  socket.setTimeout(idleMs, leave);
  socket.on("readable", look).on("error", leave).once("end", leave);
}

function endSlowBody(request: Http2ServerRequest): void {
  const timer = setTimeout(() => request.stream.close(), bodyMs).unref();
  const stop = () => clearTimeout(timer);
  request.once("end", stop).once("close", stop);
}

/** Of gRPC and gRPC-web alike. */
export function isRpc({ "content-type": type }: IncomingHttpHeaders): boolean {
  return type?.startsWith("application/grpc") === true;
}
