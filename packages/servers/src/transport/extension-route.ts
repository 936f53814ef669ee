import { isCapstanError } from "@capstan/model";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../call.ts";
import type { TrustedProxies } from "./caller.ts";
import { answeredHeaders, askBackend, type Backend, BackendAgents, maxBody } from "./extension-backend.ts";
import { identityOf, type RouteGuard } from "./guard.ts";
import { readTokenCookies } from "./session-cookie.ts";
import type { StreamPlaces } from "./stream-places.ts";

export interface ExtensionRefusal {
  readonly refused: { readonly status: number; readonly text: string };
}

export interface ExtensionPort {
  isEnabled(): boolean;
  permit(request: {
    name: string;
    application: string;
    project: string;
    user: Identity;
    signal: AbortSignal;
  }): Promise<Backend | ExtensionRefusal>;
}

export interface ExtensionNeeds {
  extensions: ExtensionPort;
  /** An answer was given, whoever gave it; the name is one that the settings have. */
  countExtension(name: string, answer: { status: number; seconds: number }): void;
}

interface Needs extends ExtensionNeeds {
  proxies: TrustedProxies;
  streams: StreamPlaces;
  log: { warn(facts: object, message: string): void };
  signal: AbortSignal;
}

/** Backends take what they take: a request has headers that no form of another site can set. */
const guard: RouteGuard = {
  kind: "call",
  access: "token",
  streams: true,
  maxBody,
  takesAnyType: true,
  byCookie: true,
};

/** Programs of the operator's behind this server, for what the page shows beside Argo CD's own (server/extension). */
export function mountExtensions(app: FastifyInstance, needs: Needs): void {
  const agents = new BackendAgents(needs.signal);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Not read here: it goes on as it comes.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.setErrorHandler((error, request, reply) => {
      if (!needs.extensions.isEnabled()) return sendText(reply, 404, notFound);
      return sendProblem(reply, error, { request, ...needs });
    });
    scope.route({
      method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
      url: "/extensions/:name/*",
      exposeHeadRoute: false,
      bodyLimit: maxBody,
      config: { guard },
      handler: (request, reply) => passOn(request, reply, { ...needs, agents }),
    });
  });
}

const notFound = "404 page not found";

function sendText(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type("text/plain; charset=utf-8").send(`${text}\n`);
}

/** The words of Argo CD (util/session WithAuthMiddleware). */
function sendProblem(
  reply: FastifyReply,
  error: unknown,
  { request, log }: Pick<Needs, "log"> & { request: FastifyRequest },
): FastifyReply {
  if (isCapstanError(error, "UNAUTHENTICATED"))
    return readTokenCookies(request.headers.cookie) === undefined
      ? sendText(reply, 400, "Auth cookie not found")
      : sendText(reply, 401, "Invalid token");
  if (isCapstanError(error, "QUEUE_FULL")) return sendText(reply, 429, error.message);
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return sendText(reply, status, "the request cannot be read");
  log.warn({ err: error }, "a request to an extension failed");
  return sendText(reply, 500, "internal error: see the server's log");
}

async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  needs: Needs & { agents: BackendAgents },
): Promise<FastifyReply> {
  const { extensions, streams, signal } = needs;
  if (!extensions.isEnabled()) return sendText(reply, 404, notFound);
  const name = nameOf(request);
  const target = targetOf(request.url);
  if (target === undefined) return sendText(reply, 400, "Invalid URL: it goes up by dots");
  const user = identityOf(request);
  const gone = new AbortController();
  const held = new DisposableStack();
  reply.raw.once("close", () => {
    held.dispose();
    if (!reply.raw.writableFinished) gone.abort(new Error("the caller went away"));
  });
  const given = (header: string): string => String(request.headers[header] ?? "");
  const [application, project] = [given("argocd-application-name"), given("argocd-project-name")];
  const limited = AbortSignal.any([signal, gone.signal]);
  const found = await extensions.permit({ name, application, project, user, signal: limited });
  if ("refused" in found) return sendText(reply, found.refused.status, found.refused.text);
  limited.throwIfAborted();
  held.use(streams.take(user.name));
  const began = performance.now();
  const count = (status: number) =>
    needs.countExtension(name, { status, seconds: (performance.now() - began) / 1000 });
  try {
    const answer = await askBackend({ request, found, target, signal: limited }, needs);
    count(answer.statusCode ?? 502);
    return reply
      .code(answer.statusCode ?? 502)
      .headers(answeredHeaders(answer.headers))
      .send(answer);
  } catch (error) {
    if (!gone.signal.aborted) needs.log.warn({ err: error, extension: name }, "an extension does not answer");
    count(502);
    return sendText(reply, 502, "the extension's backend does not answer");
  }
}

function nameOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "name" in params ? String(params.name) : "";
}

/** Path and query there; undefined where dots lead above it. */
function targetOf(url: string): string | undefined {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const [, , , ...rest] = path.split("/");
  const below = rest.map(asGoWrites).join("/");
  if (below.split("/").some((part) => part === "." || part === "..")) return undefined;
  return `/${below}${mark < 0 ? "" : url.slice(mark)}`;
}

/** One part of a path as net/url writes it anew after the beginning was taken away (URL.EscapedPath), byte by byte. */
function asGoWrites(part: string): string {
  const plain = part.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return plain.replace(
    /[^A-Za-z0-9\-_.~$&+,/:;=@]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
