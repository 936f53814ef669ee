import type { IncomingHttpHeaders } from "node:http";
import { type AnyRoute, type RouteName, readRequest } from "@capstan/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AnyHandler } from "../call.ts";
import type { ServedPlace } from "../served-place.ts";
import { boundedWarnings } from "./bounded-warnings.ts";
import type { Caller } from "./caller.ts";
import { callerOf, identityOf } from "./guard.ts";
import { readProjection } from "./project-fields.ts";
import { queryOf } from "./query-of.ts";
import type { RestServerInput } from "./rest-server.ts";
import { sendJson } from "./send-json.ts";
import { shownBy, tokenCookies } from "./session-cookie.ts";
import { streamOf } from "./stream-of.ts";
import type { StreamPlaces } from "./stream-places.ts";
import { writeStream } from "./write-stream.ts";

interface Needs extends Pick<RestServerInput, "handlers" | "proxies" | "place" | "clock" | "log"> {
  signal: AbortSignal;
  /** Of streams, which end before other calls do. */
  ending: AbortSignal;
  streams: StreamPlaces;
}

/** A body that no handler looks at may be this long: clients send `{}`. */
const leastBody = 1024;

/** Puts one handler on its address. What a handler takes and gives is agreed in the table of routes. */
export function mountRoute(
  app: FastifyInstance,
  [name, declared]: readonly [RouteName, AnyRoute],
  needs: Needs,
): void {
  const { method, path, access, maxBody, session } = declared;
  const streams = declared.stream === true;
  // The table pairs each name with its handler's types, and bodies have been read by their shape.
  const handler = needs.handlers[name] as AnyHandler;
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    exposeHeadRoute: false,
    bodyLimit: Math.max(maxBody, leastBody),
    config: { guard: { kind: "call", access, streams, maxBody } },
    async handler(request, reply) {
      const user = identityOf(request);
      const caller = callerOf(request, needs.proxies);
      const { address } = caller;
      const { page } = shownBy(request.headers);
      const ends = streams ? [needs.signal, needs.ending] : [needs.signal];
      const signal = callSignal(reply, ends);
      const read = readRequest(declared, received(request));
      const fields = fieldsOf(declared, read);
      const projection = readProjection(fields);
      using place = streams ? needs.streams.take(user.name) : undefined;
      const warnings: string[] = [];
      const warn = boundedWarnings((text) => void warnings.push(text));
      let state: string | undefined;
      const madeFrom = (text: string) => {
        state = JSON.stringify([text, user.issuer, user.name, user.groups, request.url]);
      };
      const answer = await handler(read, { user, address, page, signal, warn, madeFrom });
      if (place) return await sendStream(reply, answer, { ...needs, signal, fields });
      if (warnings.length > 0) reply.header("warning", warningHeader(warnings));
      if (session) setTokenCookie(reply, answer, { ...needs, caller });
      return await sendJson(reply, answer, { projection, state });
    },
  });
}

/** Cutting an answer is a matter of its JSON form: handlers and messages of gRPC know nothing of it. */
function fieldsOf({ query }: AnyRoute, read: Record<string, unknown>): string | undefined {
  return query.fields === "string" && typeof read.fields === "string" ? read.fields : undefined;
}

/** One value for each, in quotes; a header takes no other characters than those of ASCII. */
function warningHeader(warnings: readonly string[]): string[] {
  return warnings.map((text) => {
    const plain = text.replace(/[^\x20-\x7e]/g, "?");
    return `299 capstan "${plain.replace(/["\\]/g, "\\$&")}"`;
  });
}

function received(request: FastifyRequest) {
  const { params, body } = request;
  const path: Record<string, string> = {};
  if (typeof params === "object" && params !== null) {
    for (const [name, value] of Object.entries(params)) path[name] = readPathValue(String(value));
  }
  return { path, query: queryOf(request), body };
}

/** Clients encode addresses once or twice (Argo CD's server re-parses RawPath): `https%3A%2F%2F…` is still encoded. */
export function readPathValue(value: string): string {
  if (!/^[a-z]+(%3a|:)%2f/i.test(value)) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function callSignal({ raw }: FastifyReply, ends: readonly AbortSignal[]): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort(new Error("the caller went away"));
  });
  return AbortSignal.any([gone.signal, ...ends]);
}

function framingOf({ accept }: IncomingHttpHeaders): "lines" | "events" {
  return accept?.includes("text/event-stream") ? "events" : "lines";
}

async function sendStream(
  reply: FastifyReply,
  answer: unknown,
  { clock, signal, log, fields }: Needs & { fields: string | undefined },
): Promise<FastifyReply> {
  const messages = streamOf(answer);
  reply.hijack();
  const framing = framingOf(reply.request.headers);
  const onError = (error: unknown) => log.warn({ err: error, path: reply.request.url }, "stream failed");
  await writeStream(reply.raw, messages, { framing, fields, clock, signal, onError });
  return reply;
}

function setTokenCookie(
  reply: FastifyReply,
  answer: unknown,
  { caller, place }: { caller: Caller; place: ServedPlace },
): void {
  const token =
    typeof answer === "object" && answer !== null && "token" in answer ? String(answer.token) : "";
  reply.header("set-cookie", tokenCookies(token, { headers: reply.request.headers, caller, place }));
}
