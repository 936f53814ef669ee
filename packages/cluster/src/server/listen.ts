import type { IncomingMessage } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "@capstan/flow";
import type { KeyAndCertificate } from "../security/certificates.ts";
import { anonymousUser, type User } from "../security/user.ts";
import { ApiError, type ApiRequest, type ApiResponse } from "../types.ts";
import { answerError, type Handle } from "./handle.ts";
import { isDisconnect } from "./is-disconnect.ts";
import { listenUpgrades } from "./listen-upgrades.ts";
import { type Answer, OpenapiDocuments } from "./openapi-documents.ts";
import { receiveBody } from "./receive-body.ts";

export interface ListenOptions {
  host: string;
  port: number;
  certificate: KeyAndCertificate;
  handle: Handle;
  authenticate(token: string): User | undefined;
  clock: Clock;
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

interface Door extends ListenOptions {
  documents: OpenapiDocuments;
}

export interface Listener {
  port: number;
  close(): Promise<void>;
}

/**
 * As long as kube-apiserver's (IdleTimeout, k8s.io/apiserver/pkg/server/secure_serving.go). Node's five seconds end a
 * connection while a client that was held up sends on it.
 */
const idleMs = 90_000;

/**
 * What waits to be written to one client. Of Node's ten, 129 CRDs take more in one list: its session would answer
 * further requests with ENHANCE_YOUR_CALM, which clients take for the end of the server.
 */
const sessionMegabytes = 1_000;
/** A controller that ends watches on a thousand kinds at once is no attack (Node: 1000, and 33 a second). */
const resetBurst = 10_000;
const resetsPerSecond = 1_000;

/** One for all: a new error for each request that ends would cost more than many a request. */
const hasLeft = new Error("the client has left");

/** HTTPS on one port: HTTP/2 for client-go, HTTP/1.1 for everyone else. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { key, certificate } = options.certificate;
  const server = createSecureServer({
    key,
    cert: certificate,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 1_000 },
    maxSessionMemory: sessionMegabytes,
    streamResetBurst: resetBurst,
    streamResetRate: resetsPerSecond,
    http1Options: { keepAliveTimeout: idleMs },
  });
  const documents = new OpenapiDocuments();
  const door: Door = { ...options, documents };
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    if (request.httpVersionMajor === 1) keepReading(request.socket);
    void serve(door, request, response);
  });
  listenUpgrades(server, {
    respond: (request, signal) => respondUpgrade(options, request, signal),
    signal: options.signal,
    onError: options.onError,
  });
  server.on("sessionError", (error) => {
    if (!isDisconnect(error)) options.onError(error);
  });
  await opened(server, options);
  const { port } = addressOf(server);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/**
 * Node pauses the parser of a connection whose last answer is still on its way out, but TLS goes on handing it
 * what has been decrypted already: the connection would break with HPE_PAUSED (node lib/_http_server.js
 * parserOnIncoming, onParserExecuteCommon).
 */
function keepReading(socket: Socket): void {
  if (Reflect.get(socket, "_paused") !== true) return;
  Reflect.set(socket, "_paused", false);
  socket.resume();
}

function opened(server: Http2SecureServer, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Http2SecureServer): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the cluster listens on no port");
  return address;
}

async function serve(
  options: Door,
  incoming: Http2ServerRequest,
  outgoing: Http2ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort(hasLeft);
  outgoing.once("close", leave);
  const signal = AbortSignal.any([gone.signal, options.signal]);
  incoming.on("error", leave);
  outgoing.on("error", leave);
  try {
    await send(outgoing, await respond(options, incoming, signal), signal);
  } catch (error) {
    if (!signal.aborted) options.onError(error);
    outgoing.stream?.destroy();
    outgoing.socket?.destroy();
  }
}

async function respond(options: Door, incoming: Http2ServerRequest, signal: AbortSignal): Promise<Answer> {
  try {
    const headers = plainHeaders(incoming);
    const user = identify(options, headers);
    const request: ApiRequest = {
      method: incoming.method ?? "GET",
      url: incoming.url ?? "/",
      ...(await readableBody(headers, await receiveBody(incoming, options.clock, signal))),
      signal,
    };
    return await options.documents.answer(request, (plain) => options.handle(plain, user));
  } catch (error) {
    if (signal.aborted) throw error;
    return answerError(error, options.onError);
  }
}

/** Without a body, which the clients that upgrade never send. */
async function respondUpgrade(
  options: ListenOptions,
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<ApiResponse> {
  try {
    const headers = withProtocolToken(plainHeaders(incoming));
    const { method = "GET", url = "/" } = incoming;
    const user = identify(options, headers);
    return await options.handle({ method, url, headers, canUpgrade: true, signal }, user);
  } catch (error) {
    return answerError(error, options.onError);
  }
}

const tokenProtocol = /(?:^|,\s*)base64url\.bearer\.authorization\.k8s\.io\.([\w-]+)/;

/** A browser cannot send Authorization with a websocket: it names the token as a protocol (apiserver websocket/protocol.go). */
function withProtocolToken(headers: Record<string, string>): Record<string, string> {
  const token = tokenProtocol.exec(headers["sec-websocket-protocol"] ?? "")?.[1];
  if (token === undefined || headers.authorization !== undefined) return headers;
  return { ...headers, authorization: `Bearer ${Buffer.from(token, "base64url").toString()}` };
}

function plainHeaders(incoming: Pick<IncomingMessage, "headers">): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(",") : value;
  return headers;
}

/** Protobuf becomes JSON at the door: nothing behind it knows of any other form. Most clients never send any. */
async function readableBody(
  headers: Record<string, string>,
  body: Buffer,
): Promise<{ headers: Record<string, string>; body: string }> {
  if (!headers["content-type"]?.startsWith("application/vnd.kubernetes.protobuf"))
    return { headers, body: body.toString() };
  const { decodeBody } = await import("../protobuf/decode-body.ts");
  return { headers: { ...headers, "content-type": "application/json" }, body: decodeBody(body) };
}

function identify({ authenticate }: ListenOptions, { authorization }: Record<string, string>): User {
  if (authorization === undefined) return anonymousUser;
  const token = /^bearer (.+)$/i.exec(authorization)?.[1]?.trim();
  const user = token === undefined ? undefined : authenticate(token);
  if (user === undefined) throw new ApiError(401, "Unauthorized", "Unauthorized");
  return user;
}

async function send(outgoing: Http2ServerResponse, response: Answer, signal: AbortSignal): Promise<void> {
  const { status, headers, body } = response;
  if (typeof body === "string" || body instanceof Uint8Array) {
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    outgoing.end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  // HTTP/1.1 would keep the head back until the first event; HTTP/2 has sent it already.
  if ("flushHeaders" in outgoing && typeof outgoing.flushHeaders === "function") outgoing.flushHeaders();
  for await (const piece of body) {
    if (signal.aborted) return;
    if (!outgoing.write(piece)) await drained(outgoing, signal);
  }
  outgoing.end();
}

function drained(outgoing: Http2ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    outgoing.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
