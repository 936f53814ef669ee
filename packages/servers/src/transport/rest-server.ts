import { CapstanError, type Clock, parseJson } from "@capstan/model";
import { type RouteName, routes } from "@capstan/wire";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type { Handlers, Identity } from "../call.ts";
import type { WebhookAdmission } from "../webhook/read-webhook.ts";
import { refusal, refusalOf } from "./error-body.ts";
import { mountRoute } from "./mount-route.ts";
import { createStaticFiles } from "./static-files.ts";
import { mountWebhook, type WebhookPort } from "./webhook-route.ts";

export interface RestServerInput {
  handlers: Handlers;
  /** Turns errors of the layers below into failures. */
  translateError(error: unknown): unknown;
  /** Throws UNAUTHENTICATED when the token is bad, or absent where one is needed. */
  authenticate(token: string | undefined, needed: boolean): Promise<Identity>;
  webhook: WebhookPort<WebhookAdmission>;
  metrics(): Promise<string>;
  /** Throws what is wrong. */
  checkHealth(): void;
  /** Media types of requests that change something: a form cannot send them across sites. */
  contentTypes: readonly string[];
  uiDir?: string | undefined;
  clock: Clock;
  log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

export interface RestServer extends AsyncDisposable {
  listen(address: { host: string; port: number }): Promise<{ url: string; port: number }>;
  readonly fastify: FastifyInstance;
}

const maxBody = 20 * 1024 * 1024;

export function createRestServer(input: RestServerInput): RestServer {
  const stopping = new AbortController();
  const app = fastify({
    bodyLimit: maxBody,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 2048 },
  });
  readBodiesAsJson(app);
  app.setErrorHandler((error, _request, reply) => sendRefusal(reply, error, input));
  guardContentType(app, input.contentTypes);
  for (const name of routeNames()) mountRoute(app, name, { ...input, signal: stopping.signal });
  mountPlainRoutes(app, input);
  mountPage(app, input);
  return {
    fastify: app,
    async listen({ host, port }) {
      await app.listen({ host, port });
      const address = app.server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host;
      return { url: `http://${shown.includes(":") ? `[${shown}]` : shown}:${bound}`, port: bound };
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(
        new CapstanError({ code: "UNAVAILABLE", what: "the server", problem: "it is stopping" }),
      );
      await app.close();
    },
  };
}

function routeNames(): RouteName[] {
  return Object.keys(routes).filter((name): name is RouteName => name in routes);
}

function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    const text = String(body);
    try {
      done(null, text.trim() === "" ? undefined : parseJson(text));
    } catch (error) {
      const problem = `the body is not JSON: ${error instanceof Error ? error.message : error}`;
      done(new CapstanError({ code: "INVALID_ARGUMENT", field: "body", problem }, error));
    }
  });
}

/** A form of another site can send neither of these types with a cookie (Argo CD's server.api.content.types). */
function guardContentType(app: FastifyInstance, allowed: readonly string[]): void {
  app.addHook("onRequest", async (request, reply) => {
    if (request.method === "GET" || request.method === "HEAD" || request.method === "OPTIONS") return;
    if (!request.url.startsWith("/api/") || request.url.startsWith("/api/webhook")) return;
    const given = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
    if (allowed.includes(given)) return;
    const message = `Content-Type "${given}" is not accepted: use ${allowed.join(" or ")}`;
    return reply.code(415).send(refusal({ grpc: 3, http: 415 }, message).body);
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

function mountPlainRoutes(app: FastifyInstance, { webhook, metrics, checkHealth }: RestServerInput): void {
  app.get("/healthz", async (_request, reply) => {
    checkHealth();
    return reply.type("text/plain").send("ok");
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type("text/plain; version=0.0.4").send(await metrics()),
  );
  mountWebhook(app, webhook);
}

/** The page's files, and its index for every address that a person may open. */
function mountPage(app: FastifyInstance, { uiDir }: RestServerInput): void {
  const files = uiDir === undefined ? undefined : createStaticFiles(uiDir);
  app.setNotFoundHandler(async (request, reply) => {
    const path = decodeURI(request.url.split("?")[0] ?? "/");
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && !path.startsWith("/api/")) {
      const wantsPage = String(request.headers.accept ?? "").includes("text/html");
      const answer =
        (await files?.answer(path, request.headers)) ??
        (wantsPage ? await files?.answer("/index.html", request.headers) : undefined);
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
