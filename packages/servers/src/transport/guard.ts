import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../call.ts";
import type { ServedPlace } from "../served-place.ts";
import type { Caller, TrustedProxies } from "./caller.ts";
import { refusal } from "./error-body.ts";
import { type HostRules, isKnownHost, isKnownOrigin } from "./host-rules.ts";
import { readTokenCookies, type Shown, shownBy, tokenCookies } from "./session-cookie.ts";

/** What is known of a route before a request's body is read. Each route declares it: one without is not mounted. */
export interface RouteGuard {
  /**
   * `call`: pages of other sites may not, and a change needs a content type that no form has. `page`: what a browser
   * opens by its address. `message`: proves itself by a signature. `probe`: says nothing about anything.
   */
  readonly kind: "call" | "page" | "message" | "probe";
  readonly access: "token" | "open";
  readonly streams: boolean;
  /** Bytes. */
  readonly maxBody: number;
  /** A change may have any content type: something else in it is what no form can send. */
  readonly takesAnyType?: true;
  /** The token is looked for among the cookies alone, as by Argo CD's server where browsers are the callers. */
  readonly byCookie?: true;
}

declare module "fastify" {
  interface FastifyContextConfig {
    guard?: RouteGuard;
  }
}

export interface GuardNeeds {
  /** Throws UNAUTHENTICATED when the token is bad, or absent where one is needed. */
  authenticate(shown: Shown, needed: boolean): Promise<Identity>;
  /** Media types of requests that change something: a form cannot send them across sites. */
  contentTypes: readonly string[];
  hosts(): HostRules;
  proxies: TrustedProxies;
  place: ServedPlace;
}

const identities = new WeakMap<FastifyRequest, Identity>();

/** Who asks: known once the guard has let a call pass. */
export function identityOf(request: FastifyRequest): Identity {
  const found = identities.get(request);
  if (found === undefined) throw new TypeError("the route is not guarded as a call");
  return found;
}

/** Judges requests after routing, by what their route declares, and before their bodies. */
export function guardRoutes(app: FastifyInstance, needs: GuardNeeds): void {
  app.addHook("onRoute", ({ config, method, url }) => {
    if (!config?.guard) throw new TypeError(`${method} ${url} declares no guard`);
  });
  app.addHook("onRequest", async (request, reply) => {
    const guard = request.routeOptions.config.guard ?? pageGuard;
    const caller = callerOf(request, needs.proxies);
    if (guard.kind === "message" || guard.kind === "probe") return;
    const problem =
      hostProblem(caller, needs.hosts()) ??
      (guard.kind === "call"
        ? callProblem(request, { caller, types: guard.takesAnyType ? "any" : needs.contentTypes }, needs)
        : undefined);
    if (problem) return refuse(reply, problem);
    if (guard.kind !== "call") return;
    const user = await needs.authenticate(shownTo(guard, request.headers), guard.access === "token");
    identities.set(request, user);
    // Streams send their heads past fastify, with what stands here.
    if (user.renewal !== undefined && request.headers.authorization === undefined)
      reply.raw.setHeader(
        "set-cookie",
        tokenCookies(user.renewal, { ...needs, headers: request.headers, caller }),
      );
  });
}

function shownTo({ byCookie }: RouteGuard, headers: IncomingHttpHeaders): Shown {
  const shown = shownBy(headers);
  return byCookie ? { ...shown, token: readTokenCookies(headers.cookie) } : shown;
}

/** What a call by gRPC is refused for before its token is looked at: its media types are no form's. */
export function rpcProblem(request: AskedFor, caller: Caller, needs: GuardNeeds): string | undefined {
  const types = [
    "application/grpc",
    "application/grpc+proto",
    "application/grpc-web",
    "application/grpc-web+proto",
  ];
  const problem = hostProblem(caller, needs.hosts()) ?? callProblem(request, { caller, types }, needs);
  return problem?.message;
}

/** What a request that is to become a websocket is refused for before its token is looked at: a page of ours opens it. */
export function upgradeProblem(request: AskedFor, caller: Caller, needs: GuardNeeds): Problem | undefined {
  return hostProblem(caller, needs.hosts()) ?? callProblem(request, { caller, types: "any" }, needs);
}

/** Of a request: HTTP/1's, HTTP/2's or the router's. */
interface AskedFor {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** The page's files, and every address that nothing else has. */
const pageGuard: RouteGuard = { kind: "page", access: "open", streams: false, maxBody: 0 };

export function callerOf(
  { socket, headers }: { socket: Socket; headers: IncomingHttpHeaders },
  proxies: TrustedProxies,
): Caller {
  const isSecure = "encrypted" in socket && socket.encrypted === true;
  return proxies.callerOf({ remoteAddress: socket.remoteAddress, headers, isSecure });
}

export interface Problem {
  readonly status: 403 | 415;
  readonly message: string;
}

function hostProblem({ authority }: Caller, rules: HostRules): Problem | undefined {
  if (authority === "" || isKnownHost(authority, rules)) return undefined;
  return { status: 403, message: `${notListed("the Host", authority)} or set url in ConfigMap argocd-cm` };
}

function notListed(what: string, value: string): string {
  const shown = JSON.stringify(value.slice(0, 200));
  const name = value
    .replace(/^https?:\/\//i, "")
    .replace(/[^\w.:[\]-]/g, "")
    .slice(0, 200);
  return `${what} ${shown} is not listed: start the server with --allowed-host ${name || "NAME"},`;
}

function callProblem(
  { method, headers }: AskedFor,
  { caller, types }: { caller: Caller; types: readonly string[] | "any" },
  { hosts }: Pick<GuardNeeds, "hosts">,
): Problem | undefined {
  const fetchSite = textOf(headers["sec-fetch-site"]);
  const { authority } = caller;
  const { origin } = headers;
  if (origin !== undefined && !isKnownOrigin(origin, { authority, fetchSite }, hosts()))
    return { status: 403, message: `${notListed("the Origin", origin)} if it is this server's` };
  const isRead = method === "GET" || method === "HEAD";
  const isForeign = fetchSite === "cross-site" || fetchSite === "same-site";
  const isOpened = isRead && textOf(headers["sec-fetch-mode"]) === "navigate";
  if (isForeign && origin === undefined && !isOpened)
    return { status: 403, message: "a page of another site may not call this server" };
  if (isRead || types === "any") return undefined;
  const given = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (types.includes(given)) return undefined;
  const shown = given.slice(0, 100);
  return {
    status: 415,
    message: `Content-Type "${shown}" is not accepted: use ${types.join(" or ")}`,
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Its body is not read: what the caller goes on to send is nobody's request. */
function refuse(reply: FastifyReply, { status, message }: Problem): FastifyReply {
  const grpc = status === 403 ? 7 : 3;
  return reply
    .code(status)
    .header("connection", "close")
    .send(refusal({ grpc, http: status }, message).body);
}
