import { once } from "node:events";
import type { Agent, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pageSecretHeader } from "@capstan/wire";
import type { FastifyRequest } from "fastify";
import type { TrustedProxies } from "./caller.ts";

/** How connections to backends are held. */
interface Connections {
  readonly connectMs: number;
  readonly keepAliveMs: number;
  readonly idleMs: number;
  readonly maxIdle: number;
}

export interface Backend {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Over those of the request, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: Connections;
}

/** Bytes of a request: they are passed on as they come, and none is kept. */
export const maxBody = 256 * 1024 * 1024;

/** Of one connection alone (RFC 9110, 7.6.1; net/http/httputil hopHeaders). */
const hopHeaders: ReadonlySet<string> = new Set([
  ...["connection", "proxy-connection", "keep-alive", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);
/** Of who asks and how he proves it: nothing of it is a backend's. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...["authorization", "cookie", "token", pageSecretHeader, "host", "expect", "x-forwarded-for"],
]);
/** What this server alone says. Some servers read an underscore as a hyphen. */
const saidHere =
  /^argocd[-_](?:namespace|application[-_]name|project[-_]name|target[-_]cluster[-_](?:url|name)|username|user[-_](?:id|groups))$/;

interface Asking {
  readonly request: FastifyRequest;
  readonly found: Backend;
  /** Path and query. */
  readonly target: string;
  readonly signal: AbortSignal;
}

/** The head of what a backend answers; its body is for who asks to read. */
export async function askBackend(
  { request, found, target, signal }: Asking,
  { proxies, agents }: { proxies: TrustedProxies; agents: BackendAgents },
): Promise<IncomingMessage> {
  const { request: send } = found.origin.startsWith("https:")
    ? await import("node:https")
    : await import("node:http");
  const headers = { ...passedHeaders(request, proxies), ...found.headers };
  const { body } = request;
  if (isStream(body) && headers["content-length"] === undefined) headers["transfer-encoding"] = "chunked";
  const agent = await agents.of(found);
  // The path goes beside the address: a URL would resolve its dots.
  const sent = send(found.origin, { method: request.method, path: target, headers, agent, signal });
  limitConnecting(sent, found.connections.connectMs);
  const answered = once(sent, "response");
  if (isStream(body)) passBody(body, sent);
  else sent.end();
  const [answer] = await answered;
  return answer;
}

type Sent = ReturnType<typeof import("node:http").request>;

/** Its end is heard by whoever waits for the answer. */
function passBody(body: AsyncIterable<Buffer>, sent: Sent): void {
  const pump = async () => {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > maxBody) throw new Error(`the request is larger than ${maxBody} bytes`);
      if (!sent.write(piece)) await once(sent, "drain");
    }
    sent.end();
  };
  pump().catch((error: unknown) => sent.destroy(error instanceof Error ? error : new Error(String(error))));
}

function isStream(body: unknown): body is AsyncIterable<Buffer> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function limitConnecting(sent: Sent, ms: number): void {
  sent.once("socket", (socket: Socket) => {
    if (!socket.connecting) return;
    const late = () => sent.destroy(new Error(`no connection within ${ms / 1000} s`));
    const timer = setTimeout(late, ms).unref();
    const stop = () => clearTimeout(timer);
    socket.once("connect", stop).once("close", stop);
  });
}

function passedHeaders(
  { headers, socket }: FastifyRequest,
  proxies: TrustedProxies,
): Record<string, string | string[]> {
  const named = new Set(
    String(headers.connection ?? "")
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isOther =
      !hopHeaders.has(name) && !named.has(name) && !ownHeaders.has(name) && !name.startsWith(":");
    if (value !== undefined && isOther && !saidHere.test(name)) passed[name] = value;
  }
  // Of all that it can say this alone holds beyond the connection (httputil ReverseProxy).
  if (/\btrailers\b/.test(String(headers.te ?? ""))) passed.te = "trailers";
  const direct = socket.remoteAddress ?? "";
  const before = proxies.has(direct) ? headers["x-forwarded-for"] : undefined;
  passed["x-forwarded-for"] = [...[before ?? []].flat(), direct].join(", ");
  return passed;
}

/**
 * No cookie of our own address comes from a backend, and no page that our own scripts' rights are in: what it answers is
 * read by scripts.
 */
export function answeredHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !hopHeaders.has(name) && name !== "set-cookie") passed[name] = value;
  const policies = [headers["content-security-policy"] ?? []].flat();
  passed["content-security-policy"] = [...policies, "sandbox"].join(", ");
  passed["x-content-type-options"] = "nosniff";
  return passed;
}

/** Connections that are kept, by how they are to be held; those of settings of before end by being idle. */
export class BackendAgents {
  readonly #agents = new Map<string, Agent>();

  constructor(stopping: AbortSignal) {
    stopping.addEventListener("abort", () => {
      for (const agent of this.#agents.values()) agent.destroy();
    });
  }

  async of({ origin, connections }: Backend): Promise<Agent> {
    const isTls = origin.startsWith("https:");
    const name = JSON.stringify([isTls, connections]);
    const known = this.#agents.get(name);
    if (known) return known;
    const { keepAliveMs, idleMs, maxIdle } = connections;
    const options = {
      keepAlive: true,
      keepAliveMsecs: keepAliveMs,
      timeout: idleMs,
      maxFreeSockets: maxIdle,
    };
    const made = isTls
      ? new (await import("node:https")).Agent(options)
      : new (await import("node:http")).Agent(options);
    if (this.#agents.size >= mostAgents) this.#agents.clear();
    this.#agents.set(name, made);
    return made;
  }
}

const mostAgents = 64;
