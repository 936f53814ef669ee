import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServedPlace } from "../served-place.ts";
import type { RouteGuard } from "./guard.ts";

/** The Dex that stands behind this server. */
export interface DexPlace {
  /** http(s) address. */
  readonly server: string;
  /** Whether somebody has to vouch for its certificate. */
  readonly isVerified: boolean;
}

interface Needs {
  /** As the settings name it now. */
  dex(): DexPlace | undefined;
  place: ServedPlace;
  log: { warn(facts: object, message: string): void };
  signal: AbortSignal;
}

const top = "/api/dex/";
/** Answers of providers come through browsers as forms. */
const maxBody = 512 * 1024;
const limitMs = 30_000;
/** Pages and forms of another program, which browsers open. */
const guard: RouteGuard = { kind: "page", access: "open", streams: false, maxBody };

/** Nothing of our own goes there: no cookie, and no word of who asked. */
const asked = ["accept", "accept-language", "authorization", "content-type"] as const;
/** And nothing comes back that would be ours: no cookie of our address. */
const answered = [
  ...["content-type", "location", "cache-control", "expires", "pragma", "etag", "last-modified"],
  ...["www-authenticate", "content-security-policy", "x-content-type-options", "x-frame-options"],
] as const;

/** Dex below our own address (util/dex NewDexHTTPReverseProxy), so that its browsers need reach no second one. */
export function mountDex(app: FastifyInstance, needs: Needs): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.route({
      method: ["GET", "POST"],
      url: `${top}*`,
      exposeHeadRoute: false,
      bodyLimit: maxBody,
      config: { guard },
      handler: (request, reply) => passOn(request, reply, needs),
    });
  });
}

async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { dex, place, log, signal }: Needs,
): Promise<FastifyReply> {
  const found = dex();
  const target = found && addressAt(found, request.url, place);
  if (!found || !target)
    return reply.code(404).type("text/plain").send("there is no Dex behind this server\n");
  try {
    const body = Buffer.isBuffer(request.body) ? request.body : undefined;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const answer = await ask(target, { request, body, isVerified: found.isVerified, signal: limited });
    for (const name of answered) {
      const value = answer.headers[name];
      if (value !== undefined) reply.header(name, value);
    }
    return reply.code(answer.statusCode ?? 502).send(answer);
  } catch (error) {
    log.warn({ err: error, dex: target.origin }, "Dex does not answer");
    return reply
      .code(502)
      .type("text/plain")
      .send("the identity provider behind this server does not answer\n");
  }
}

/** The same path there, its dots resolved: nothing above that of Dex. */
function addressAt({ server }: DexPlace, url: string, { base }: ServedPlace): URL | undefined {
  const { pathname, search } = new URL(url, "http://here");
  if (!pathname.startsWith(top)) return undefined;
  const target = new URL(server);
  target.pathname = base + pathname;
  target.search = search;
  return target;
}

interface Asking {
  readonly request: FastifyRequest;
  readonly body: Buffer | undefined;
  readonly isVerified: boolean;
  readonly signal: AbortSignal;
}

async function ask(url: URL, { request, body, isVerified, signal }: Asking): Promise<IncomingMessage> {
  const { request: send } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const headers: Record<string, string> = { "content-length": String(body?.length ?? 0) };
  for (const name of asked) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  const sent = send(url, { method: request.method, headers, signal, rejectUnauthorized: isVerified });
  sent.end(body);
  const [answer] = await once(sent, "response");
  return answer;
}
