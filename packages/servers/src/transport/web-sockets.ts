import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { pageProtocolPrefix } from "@capstan/wire";
import type { PerMessageDeflateOptions, WebSocket, WebSocketServer } from "ws";
import { type ServedPlace, socketAskedFor } from "../served-place.ts";
import { readTokenCookies, type Shown, shownBy } from "./session-cookie.ts";

export interface Upgrading {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came with the request's head. */
  readonly head: Buffer;
}

export interface SocketRefusal {
  readonly status: number;
  readonly text: string;
}

/** What is served over one kind of websocket. */
export interface SocketTaker {
  /** Resolves at the end of it. */
  take(upgrading: Upgrading): Promise<void>;
  /** What is said where taking has failed before it was open. */
  refusalOf(error: unknown, request: IncomingMessage): SocketRefusal;
}

type SocketPath = NonNullable<ReturnType<typeof socketAskedFor>>;

/** Gives each connection that asks for a websocket to whoever serves its path. */
export function takeSockets(
  server: Server,
  place: ServedPlace,
  takers: Readonly<Record<SocketPath, SocketTaker>>,
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const path = socketAskedFor(place, request);
    if (path === undefined) return refuse(socket, { status: 404, text: "" });
    const { take, refusalOf } = takers[path];
    take({ request, socket, head }).catch((error: unknown) => refuse(socket, refusalOf(error, request)));
  });
}

export type LazySockets = () => Promise<WebSocketServer>;

interface SocketOptions {
  readonly protocol: string;
  readonly maxPayload: number;
  readonly perMessageDeflate?: PerMessageDeflateOptions;
}

/** What speaks websockets is loaded when somebody does. */
export function lazySockets({ protocol, ...options }: SocketOptions): LazySockets {
  let opened: Promise<WebSocketServer> | undefined;
  const open = async () => {
    const { WebSocketServer: Sockets } = await import("ws");
    const handleProtocols = (offered: ReadonlySet<string>) => (offered.has(protocol) ? protocol : false);
    return new Sockets({ perMessageDeflate: false, ...options, noServer: true, handleProtocols });
  };
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Token of the cookie alone; a page shows its secret among the protocols. */
export function shownIn({ headers }: IncomingMessage): Shown {
  const offered = String(headers["sec-websocket-protocol"] ?? "").split(",");
  const secret = offered.map((one) => one.trim()).find((one) => one.startsWith(pageProtocolPrefix));
  const page = secret === undefined ? shownBy(headers).page : secret.slice(pageProtocolPrefix.length);
  return { token: readTokenCookies(headers.cookie), page };
}

export function handshake(
  sockets: WebSocketServer,
  { request, socket, head }: Upgrading,
  cookies: readonly string[],
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error("the connection was closed")));
    const add = (headers: string[], to: IncomingMessage) => {
      if (to === request) headers.push(...cookies.map((one) => `Set-Cookie: ${one}`));
    };
    sockets.on("headers", add);
    sockets.handleUpgrade(request, socket, head, resolve);
    sockets.off("headers", add);
  });
}

export function refuse(socket: Duplex, { status, text }: SocketRefusal): void {
  if (!socket.writable) return void socket.destroy();
  const body = text === "" ? "" : `${text}\n`;
  const head = [
    `HTTP/1.1 ${status} `,
    "content-type: text/plain; charset=utf-8",
    "x-content-type-options: nosniff",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
