import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";
import { pageProtocolPrefix, terminalProtocol } from "@capstan/wire";
import type { FastifyInstance } from "fastify";
import type { WebSocket, WebSocketServer } from "ws";
import type { Identity } from "../call.ts";
import { terminalPath } from "../served-place.ts";
import { callerOf, type GuardNeeds, identityOf, type RouteGuard, upgradeProblem } from "./guard.ts";
import { queryOf } from "./query-of.ts";
import { readTokenCookies, type Shown, shownBy, tokenCookies } from "./session-cookie.ts";
import { StreamPlaces } from "./stream-places.ts";
import { runTerminal, type TerminalPlace } from "./terminal-session.ts";

export interface TerminalRefusal {
  readonly refused: { readonly status: number; readonly text: string };
}

export interface TerminalPort {
  isEnabled(): boolean;
  permit(
    query: URLSearchParams,
    asked: { user: Identity; signal: AbortSignal },
  ): Promise<TerminalPlace | TerminalRefusal>;
}

export interface TerminalNeeds extends GuardNeeds {
  terminals: TerminalPort;
  clock: Clock;
  log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
  signal: AbortSignal;
}

/** Terminals at a time: each holds a connection here and one to a cluster. */
const most = { ofAll: 256, ofUser: 16 };
/** Of a message: what a person types or pastes. */
const maxMessage = 64 * 1024;
const guard: RouteGuard = { kind: "call", access: "token", streams: false, maxBody: 0, byCookie: true };

/** Who asks without a websocket is told what is wrong with it, and gets no further. */
export function mountTerminal(app: FastifyInstance, { terminals, signal }: TerminalNeeds): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const { status, text } = refusalOf(error, request.headers.cookie);
      return reply.code(status).type("text/plain; charset=utf-8").send(`${text}\n`);
    });
    scope.get(terminalPath, { config: { guard } }, async (request, reply) => {
      if (!terminals.isEnabled()) return reply.code(404).send();
      const query = new URLSearchParams(queryOf(request));
      const found = await terminals.permit(query, { user: identityOf(request), signal });
      const { status, text } = "refused" in found ? found.refused : { status: 400, text: "Bad Request" };
      return reply.code(status).type("text/plain; charset=utf-8").send(`${text}\n`);
    });
  });
}

/** The words of Argo CD (util/session WithAuthMiddleware). */
function refusalOf(error: unknown, cookie: string | undefined): TerminalRefusal["refused"] {
  if (isCapstanError(error, "UNAUTHENTICATED"))
    return readTokenCookies(cookie) === undefined
      ? { status: 400, text: "Auth cookie not found" }
      : { status: 401, text: "Invalid token" };
  if (isCapstanError(error, "QUEUE_FULL")) return { status: 429, text: error.message };
  return { status: 500, text: "internal error: see the server's log" };
}

interface Upgrading {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came with the request's head. */
  readonly head: Buffer;
}

/** Makes terminals of the connections whose requests ask for one. */
export function takeTerminals(server: Server, needs: TerminalNeeds): void {
  const places = new StreamPlaces("terminals", most);
  let opened: Promise<WebSocketServer> | undefined;
  const sockets = () => {
    opened ??= openSockets();
    return opened;
  };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    answer({ request, socket, head }, { ...needs, sockets, places }).catch((error: unknown) => {
      const refusal = refusalOf(error, request.headers.cookie);
      if (refusal.status === 500) needs.log.warn({ err: error }, "a terminal failed");
      refuse(socket, refusal);
    });
  });
}

async function openSockets(): Promise<WebSocketServer> {
  const { WebSocketServer: Sockets } = await import("ws");
  return new Sockets({
    noServer: true,
    maxPayload: maxMessage,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(terminalProtocol) ? terminalProtocol : false),
  });
}

interface Opening extends TerminalNeeds {
  readonly places: StreamPlaces;
  sockets(): Promise<WebSocketServer>;
}

async function answer(upgrading: Upgrading, needs: Opening): Promise<void> {
  const { request, socket } = upgrading;
  const { terminals, authenticate, proxies, log } = needs;
  const caller = callerOf(request, proxies);
  const problem = upgradeProblem(request, caller, needs);
  if (problem) return refuse(socket, { status: problem.status, text: problem.message });
  const shown = shownIn(request);
  const user = await authenticate(shown, true);
  if (!terminals.isEnabled()) return refuse(socket, { status: 404, text: "" });
  const left = new AbortController();
  socket.once("close", () => left.abort(new Error("the caller went away")));
  const signal = AbortSignal.any([needs.signal, left.signal]);
  const query = new URLSearchParams(queryOf({ url: request.url ?? "" }));
  const found = await terminals.permit(query, { user, signal });
  if ("refused" in found) return refuse(socket, found.refused);
  using _place = needs.places.take(user.name);
  const cookies =
    user.renewal === undefined
      ? []
      : tokenCookies(user.renewal, { ...needs, headers: request.headers, caller });
  const opened = await handshake(await needs.sockets(), upgrading, cookies);
  const facts = { ...found.facts, user: user.name, issuer: user.issuer, address: caller.address };
  log.info({ audit: "terminal", ...facts, result: "OPENED" }, "audit");
  const identify = () => authenticate(shown, true);
  const session = { place: found, user, identify, clock: needs.clock, signal };
  const result = await runTerminal(opened, session).catch((error: unknown) => {
    log.warn({ err: error, ...facts }, "a terminal failed");
    opened.terminate();
    return "FAILED";
  });
  log.info({ audit: "terminal", ...facts, result }, "audit");
}

/** Token of the cookie alone; a page shows its secret among the protocols. */
function shownIn({ headers }: IncomingMessage): Shown {
  const offered = String(headers["sec-websocket-protocol"] ?? "").split(",");
  const secret = offered.map((one) => one.trim()).find((one) => one.startsWith(pageProtocolPrefix));
  const page = secret === undefined ? shownBy(headers).page : secret.slice(pageProtocolPrefix.length);
  return { token: readTokenCookies(headers.cookie), page };
}

function handshake(
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

function refuse(socket: Duplex, { status, text }: TerminalRefusal["refused"]): void {
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
