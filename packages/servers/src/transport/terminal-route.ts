import type { Clock } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";
import { terminalProtocol } from "@capstan/wire";
import type { FastifyInstance } from "fastify";
import type { Identity } from "../call.ts";
import { terminalPath } from "../served-place.ts";
import { callerOf, type GuardNeeds, identityOf, type RouteGuard, upgradeProblem } from "./guard.ts";
import { queryOf } from "./query-of.ts";
import { readTokenCookies, tokenCookies } from "./session-cookie.ts";
import { StreamPlaces } from "./stream-places.ts";
import { runTerminal, type TerminalPlace } from "./terminal-session.ts";
import {
  handshake,
  type LazySockets,
  lazySockets,
  refuse,
  type SocketRefusal,
  type SocketTaker,
  shownIn,
  type Upgrading,
} from "./web-sockets.ts";

export interface TerminalRefusal {
  readonly refused: SocketRefusal;
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

/** Makes terminals of the connections whose requests ask for one. */
export function terminalSockets(needs: TerminalNeeds): SocketTaker {
  const places = new StreamPlaces("terminals", most);
  const sockets = lazySockets({ protocol: terminalProtocol, maxPayload: maxMessage });
  return {
    take: (upgrading) => answer(upgrading, { ...needs, sockets, places }),
    refusalOf(error, { headers }) {
      const refusal = refusalOf(error, headers.cookie);
      if (refusal.status === 500) needs.log.warn({ err: error }, "a terminal failed");
      return refusal;
    },
  };
}

interface Opening extends TerminalNeeds {
  readonly places: StreamPlaces;
  readonly sockets: LazySockets;
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
