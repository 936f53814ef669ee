import type { IncomingHttpHeaders, Server } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { Socket } from "node:net";
import { limitStream } from "../limited-server.ts";
import type { TakeTls } from "./server-tls.ts";

/** First bytes of a client that speaks HTTP/2 without having asked (RFC 9113, 3.4); no method of HTTP/1 begins so. */
const preface = Buffer.from("PRI");
/** First byte of TLS (RFC 8446, 5.1: a handshake record). */
const tlsHandshake = 0x16;

/** Slow callers are sent away, as with HTTP/1. */
const [idleMs, bodyMs] = [65_000, 60_000];

const limits = {
  settings: { maxConcurrentStreams: 250, maxHeaderListSize: 64 * 1024 },
  maxSessionMemory: 16,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 50,
};

export interface OnePortNeeds {
  /** Answers a request over HTTP/2. */
  answer(request: Http2ServerRequest, response: Http2ServerResponse): void;
  /** What is shown to who speaks TLS; undefined: nobody may. */
  tls: TakeTls | undefined;
  /** Connections that are not HTTP/1's end with it; the server itself ends those. */
  signal: AbortSignal;
  /** In this order: callers over HTTP/2 are told then to begin what is new on other connections. */
  farewells: readonly AbortSignal[];
}

/**
 * Lets the port of an HTTP/1 server take HTTP/2, and TLS with either, too: the first bytes of a connection say what it
 * is. The server's own limits of connections hold for all.
 */
export function takeEveryForm(server: Server, needs: OnePortNeeds): void {
  const sockets = new Set<Socket>();
  needs.signal.addEventListener("abort", () => {
    for (const socket of sockets) socket.destroy();
  });
  const http2 = http2Sessions(server, needs);
  const [http1, ...others] = server.listeners("connection");
  server.removeAllListeners("connection");
  const give = (socket: Socket, isHttp2: boolean): void => {
    if (isHttp2) return void http2.emit("connection", socket);
    sockets.delete(socket);
    http1?.call(server, socket);
  };
  const open = (socket: Socket, bytes: Buffer): void => {
    socket.unshift(bytes);
    if (bytes[0] === tlsHandshake && needs.tls)
      void needs.tls(socket, (secured) => give(secured, secured.alpnProtocol === "h2"));
    else give(socket, bytes.subarray(0, preface.length).equals(preface));
  };
  server.on("connection", (socket: Socket) => {
    for (const listener of others) listener.call(server, socket);
    if (socket.destroyed) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    firstBytes(socket, (bytes) => open(socket, bytes));
  });
}

function http2Sessions(server: Server, { answer, farewells }: Pick<OnePortNeeds, "answer" | "farewells">) {
  const http2 = createHttp2Server(limits, (request, response) => {
    endSlowBody(request);
    answer(request, response);
  });
  http2.on("session", (session) => {
    let [open, hasBegun, isSentAway] = [0, false, false];
    session.on("stream", (stream) => {
      limitStream(server, session.socket, stream);
      open += 1;
      hasBegun = true;
      if (isSentAway) session.close();
      stream.once("close", () => {
        open -= 1;
      });
    });
    // What it has begun is answered, and what it sends until it has heard of it was not taken: it is sent again
    // elsewhere (RFC 9113, 6.8). nghttp2 takes nothing any more whatever id GOAWAY names, so that none is given here.
    const sendAway = () => {
      // Whoever has only just come would take it for a server that is not there: he is answered first.
      if (hasBegun || isSentAway) session.close();
      isSentAway = true;
    };
    const due = farewells.filter(({ aborted }) => !aborted);
    for (const farewell of due) farewell.addEventListener("abort", sendAway, { once: true });
    session.once("close", () => {
      for (const farewell of due) farewell.removeEventListener("abort", sendAway);
    });
    session.setTimeout(idleMs, () => {
      if (open === 0) session.close();
    });
  });
  return http2;
}

/** Waits for enough to tell the forms apart. Whoever says nothing is sent away. */
function firstBytes(socket: Socket, take: (bytes: Buffer) => void): void {
  let seen = Buffer.alloc(0);
  const leave = () => socket.destroy();
  const look = () => {
    const more: unknown = socket.read();
    if (Buffer.isBuffer(more)) seen = Buffer.concat([seen, more]);
    else if (socket.readableEnded) return leave();
    if (seen.length < preface.length && preface.subarray(0, seen.length).equals(seen)) return;
    // Errors go on being heard: whoever takes the socket may have to wait first, as for a certificate.
    socket.off("readable", look).off("timeout", leave).off("end", leave).setTimeout(0);
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
