import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { type Clock, longText, ownTurn } from "@capstan/flow";
import { parseBoundedJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import { everyRoute } from "@capstan/wire";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type { Handlers, Identity } from "../call.ts";
import { createLimitedServer } from "../limited-server.ts";
import { addressOf } from "../listen-on.ts";
import { servedBelow, socketAskedFor, streamsPath, terminalPath } from "../served-place.ts";
import type { WebhookAdmission } from "../webhook/read-webhook.ts";
import { mountBadge } from "./badge-route.ts";
import { Departure, type DepartureTimes } from "./departure.ts";
import { type DexPlace, mountDex } from "./dex-route.ts";
import { refusalOf } from "./error-body.ts";
import { type ExtensionNeeds, mountExtensions } from "./extension-route.ts";
import { type GuardNeeds, guardRoutes, identityOf, type RouteGuard } from "./guard.ts";
import { mountRoute } from "./mount-route.ts";
import { isRpc, type OnePortNeeds, takeEveryForm } from "./one-port.ts";
import { mountPageScripts } from "./page-scripts-route.ts";
import type { createRpcServer, RpcNeeds } from "./rpc-server.ts";
import { mountSso, type SsoPort } from "./sso-routes.ts";
import { createStaticFiles } from "./static-files.ts";
import { StreamPlaces } from "./stream-places.ts";
import { streamSockets } from "./stream-sockets.ts";
import { mountSwagger } from "./swagger-route.ts";
import { mountTerminal, type TerminalPort, terminalSockets } from "./terminal-route.ts";
import { takeSockets } from "./web-sockets.ts";
import { mountWebhook, type WebhookPort } from "./webhook-route.ts";

export interface RestServerInput extends GuardNeeds, ExtensionNeeds, Pick<OnePortNeeds, "tls"> {
  handlers: Handlers;
  /** Turns errors of the layers below into failures. */
  translateError(error: unknown): unknown;
  webhook: WebhookPort<WebhookAdmission>;
  sso: SsoPort;
  terminals: TerminalPort;
  /** Behind this server, as the settings name it now. */
  dex(): DexPlace | undefined;
  /** The status badge that a query asks for: SVG. */
  badge(query: URLSearchParams): string;
  swagger: Parameters<typeof mountSwagger>[1];
  metrics(): Promise<string>;
  /** Metrics name what everybody has. */
  mayReadMetrics(user: Identity): boolean;
  uiDir?: string | undefined;
  /** Address of the operator's own styles (ui.cssurl). */
  pageStyles(): string | undefined;
  /** The operator's own, which the page runs. */
  scripts: { readonly text: string | undefined };
  clock: Clock;
  log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

export interface RestServer extends AsyncDisposable {
  listen(address: { host: string; port: number }): Promise<{ url: string; port: number }>;
  /** To be awaited before it is disposed of, where callers have another server to go to. */
  leave(times: DepartureTimes): Promise<void>;
  /** Aborted while it does. */
  readonly leaving: AbortSignal;
  readonly fastify: FastifyInstance;
}

/** Streams at a time. */
const mostStreams = { ofAll: 4096, ofUser: 1500 };
/** Of addresses that are no route's: fastify wants more than none. */
const leastBody = 1024;

const noSchemas = () => () => {
  throw new Error("no route has a schema of fastify's");
};

export function createRestServer(input: RestServerInput): RestServer {
  const stopping = new AbortController();
  const departure = new Departure();
  const { ending } = departure;
  const streams = new StreamPlaces("streams", mostStreams);
  const shared = { ...input, signal: stopping.signal, ending, departure, streams };
  const app = fastify({
    bodyLimit: leastBody,
    serverFactory: (handler) => serveEveryForm(handler, shared),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 2048 },
    // Requests are read by the records of wire: fastify's own compilers, a hundred files, are not loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  readBodiesAsJson(app);
  app.setErrorHandler((error, _request, reply) => sendRefusal(reply, error, input));
  guardRoutes(app, input);
  for (const one of everyRoute) mountRoute(app, one, shared);
  mountPlainRoutes(app, shared);
  mountSso(app, shared);
  mountDex(app, shared);
  mountExtensions(app, shared);
  mountTerminal(app, shared);
  mountPageScripts(app, input.scripts);
  mountPage(app, input);
  return {
    fastify: app,
    async listen({ host, port }) {
      await app.listen({ host, port });
      const found = addressOf(app.server, { host, port });
      return { ...found, url: found.url + input.place.rootPath };
    },
    leave: (times) => departure.leave(times, input.clock),
    leaving: departure.leaving,
    async [Symbol.asyncDispose]() {
      stopping.abort(
        new CapstanError({ code: "UNAVAILABLE", what: "the server", problem: "it is stopping" }),
      );
      await app.close();
    },
  };
}

interface Leaving {
  departure: Departure;
}

/** HTTP/1, HTTP/2, gRPC and gRPC-web on one port; what speaks gRPC is loaded when somebody does. */
function serveEveryForm(rest: RequestListener, needs: RestServerInput & RpcNeeds & Leaving): Server {
  let opened: Promise<ReturnType<typeof createRpcServer>> | undefined;
  const rpc = async (...call: Parameters<ReturnType<typeof createRpcServer>>) => {
    opened ??= import("./rpc-server.ts").then((loaded) => loaded.createRpcServer(needs));
    await (await opened)(...call);
  };
  const answer = servedBelow(needs.place, (request: IncomingMessage, response: ServerResponse): void => {
    needs.departure.take(response);
    if (isRpc(request.headers))
      rpc(request, response).catch((error: unknown) => {
        needs.log.warn({ err: error, path: request.url }, "call failed");
        response.destroy();
      });
    else rest(request, response);
  });
  const server = createLimitedServer(answer, {
    isProxy: (address) => needs.proxies.has(address),
    mayUpgrade: (request) => socketAskedFor(needs.place, request) !== undefined,
  });
  takeSockets(server, needs.place, {
    [terminalPath]: terminalSockets(needs),
    [streamsPath]: streamSockets({ ...needs, signal: AbortSignal.any([needs.signal, needs.ending]) }),
  });
  takeEveryForm(server, {
    ...needs,
    // Who comes while it is leaving may be sent here again.
    farewells: [needs.departure.leaving, needs.departure.ending],
    // Node's compatibility API: HTTP/2's requests and responses are used as HTTP/1's.
    answer: (request, response) => answer(request as never, response as never),
  });
  return server;
}

function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, async (_request: unknown, body: string | Buffer) => {
    const text = String(body);
    // To read it and to check what it says is long work; that of many which come at once keeps nobody waiting.
    if (text.length > longText) await ownTurn();
    try {
      return text.trim() === "" ? undefined : parseBoundedJson(text);
    } catch (error) {
      const problem = `the body is not JSON: ${error instanceof Error ? error.message : error}`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "body", problem }, error);
    }
  });
}

function sendRefusal(
  reply: FastifyReply,
  thrown: unknown,
  { log, translateError }: RestServerInput,
): FastifyReply {
  const error = translateError(thrown);
  const { status, body } = refusalOf(error);
  if (status.http >= 500) {
    const { method, url } = reply.request;
    log.warn({ err: error, method, path: url.split("?")[0] }, "call failed");
  }
  return reply.code(status.http).header("content-type", "application/json").send(JSON.stringify(body));
}

function mountPlainRoutes(app: FastifyInstance, input: RestServerInput & Leaving): void {
  const { webhook, metrics, mayReadMetrics, departure } = input;
  const plain = { streams: false, maxBody: 0 };
  const probe: RouteGuard = { kind: "probe", access: "open", ...plain };
  app.get("/healthz", { config: { guard: probe } }, async (_request, reply) => {
    // As argocd-server says it, for whoever asks at this port whether to send callers here.
    departure.leaving.throwIfAborted();
    return reply.type("text/plain").send("ok");
  });
  const call: RouteGuard = { kind: "call", access: "token", ...plain };
  app.get("/metrics", { config: { guard: call } }, async (request, reply) => {
    const user = identityOf(request);
    if (!mayReadMetrics(user))
      throw new CapstanError({
        code: "FORBIDDEN",
        action: "get",
        what: "metrics, which name all applications",
        user: user.name,
      });
    return reply.type("text/plain; version=0.0.4").send(await metrics());
  });
  mountBadge(app, input.badge);
  mountSwagger(app, input.swagger);
  mountWebhook(app, webhook);
}

/** The page's files, and its index for every address that a person may open. */
function mountPage(app: FastifyInstance, { uiDir, place, pageStyles }: RestServerInput): void {
  const files = uiDir === undefined ? undefined : createStaticFiles(uiDir, place);
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && !path.startsWith("/api/")) {
      const wantsPage = path === "/" || String(request.headers.accept ?? "").includes("text/html");
      const answer =
        (await files?.answer(path, request.headers)) ??
        (wantsPage ? await files?.answer("/index.html", request.headers, pageStyles()) : undefined);
      if (answer) return reply.code(answer.status).headers(answer.headers).send(answer.body);
      if (wantsPage && path === "/")
        return reply
          .code(503)
          .type("text/plain")
          .send("The page was not built: run npm ci, or npm run build -w packages/ui\n");
    }
    const { status, body } = refusalOf(
      new CapstanError({ code: "NOT_FOUND", what: `${request.method} ${path}` }),
    );
    return reply.code(status.http).send(body);
  });
}

function pathOf(url: string): string {
  const path = url.split("?")[0] ?? "/";
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
