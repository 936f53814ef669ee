import type { IncomingMessage } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Duplex } from "node:stream";
import type { Upgrading } from "../streams/upgrade.ts";
import { ApiError, type ApiResponse } from "../types.ts";
import { answerFailure } from "./answer.ts";
import { isDisconnect } from "./is-disconnect.ts";

/** More at once, and the next is refused: each keeps a connection. */
const mostSessions = 500;

interface Upgrades {
  /** Answers a request as any other, with status 101 and a session where its connection may become one. */
  respond(request: IncomingMessage, signal: AbortSignal): Promise<ApiResponse>;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Requests that leave HTTP for a stream both ways: exec, attach and port-forward, by websocket or SPDY. */
export function listenUpgrades(server: Http2SecureServer, options: Upgrades): void {
  let open = 0;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const left = new AbortController();
    socket.on("error", () => socket.destroy());
    socket.once("close", () => left.abort(new Error("the client has left")));
    const signal = AbortSignal.any([left.signal, options.signal]);
    if (open >= mostSessions) {
      refuse(socket, answerFailure(new ApiError(429, "TooManyRequests", "too many sessions are open")));
      return;
    }
    open += 1;
    void upgrade(options, { request, socket, head }, signal)
      .catch((error: unknown) => {
        if (!signal.aborted && !isDisconnect(error)) options.onError(error);
        socket.destroy();
      })
      .finally(() => {
        open -= 1;
      });
  });
}

async function upgrade(options: Upgrades, upgrading: Upgrading, signal: AbortSignal): Promise<void> {
  const { request, socket } = upgrading;
  const response = await options.respond(request, signal);
  const { session } = response;
  if (session === undefined) {
    refuse(socket, response);
    return;
  }
  // Read from disk when the first is asked for: most clusters never open one.
  const { carry, protocolProblem } = await import("../streams/upgrade.ts");
  const problem = protocolProblem(request, session.kind);
  if (problem !== undefined) refuse(socket, answerFailure(new ApiError(403, "Forbidden", problem)));
  else await carry(upgrading, session, signal);
}

function refuse(socket: Duplex, { status, headers, body }: ApiResponse): void {
  const text = typeof body === "string" ? body : "";
  const lines = Object.entries({
    ...headers,
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} \r\n${head}\r\n${text}`);
}
