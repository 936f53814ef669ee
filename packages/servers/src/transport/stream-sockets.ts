import type { Clock } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";
import { type AnyRoute, everyRoute, type RouteName, readRequest, streamsProtocol } from "@capstan/wire";
import type { AnyHandler, Handlers, Identity } from "../call.ts";
import { refusalOf } from "./error-body.ts";
import { callerOf, type GuardNeeds, upgradeProblem } from "./guard.ts";
import { ManyStreams, type OpenStream } from "./many-streams.ts";
import { readPathValue } from "./mount-route.ts";
import { readProjection } from "./project-fields.ts";
import { tokenCookies } from "./session-cookie.ts";
import { streamOf } from "./stream-of.ts";
import { StreamPlaces } from "./stream-places.ts";
import { handshake, lazySockets, refuse, type SocketTaker, shownIn, type Upgrading } from "./web-sockets.ts";

interface Needs extends GuardNeeds {
  readonly handlers: Handlers;
  readonly streams: StreamPlaces;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: { warn(facts: object, message: string): void };
  translateError(error: unknown): unknown;
}

/** Browsers, and windows of those that share none. */
const most = { ofAll: 4096, ofUser: 512 };
/** Of a message: the address of a call. */
const maxMessage = 16 * 1024;
/** Also of single changes, whose names repeat; signs of life are not worth it. Nothing is kept between messages. */
const perMessageDeflate = {
  threshold: 512,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { level: 1 },
};

/** Serves all streams of a page over one connection: each as the call of its own that it also is. */
export function streamSockets(needs: Needs): SocketTaker {
  const places = new StreamPlaces("connections of pages", most);
  const sockets = lazySockets({ protocol: streamsProtocol, maxPayload: maxMessage, perMessageDeflate });
  return {
    async take(upgrading) {
      const { request, socket } = upgrading;
      const caller = callerOf(request, needs.proxies);
      const problem = upgradeProblem(request, caller, needs);
      if (problem) return refuse(socket, { status: problem.status, text: problem.message });
      const shown = shownIn(request);
      const user = await needs.authenticate(shown, true);
      using _place = places.take(user.name);
      const opened = await handshake(await sockets(), upgrading, renewedCookies(upgrading, user, needs));
      const identify = () => needs.authenticate(shown, true);
      const open = openerOf(needs, { identify, address: caller.address, page: shown.page });
      await new ManyStreams(opened, { ...needs, open, identify }).run();
    },
    refusalOf(error) {
      const { status, body } = refusalOf(needs.translateError(error));
      if (status.http >= 500 && !isCapstanError(error))
        needs.log.warn({ err: error }, "a connection of a page failed");
      return { status: status.http, text: body.message };
    },
  };
}

function renewedCookies({ request }: Upgrading, { renewal }: Identity, needs: Needs): readonly string[] {
  const caller = callerOf(request, needs.proxies);
  return renewal === undefined ? [] : tokenCookies(renewal, { ...needs, headers: request.headers, caller });
}

interface Asker {
  readonly address: string;
  readonly page: string | undefined;
  identify(): Promise<Identity>;
}

/** Opens what a call by HTTP would: the same places, rights and words. */
function openerOf({ handlers, streams }: Needs, { identify, address, page }: Asker) {
  return async (url: string, signal: AbortSignal): Promise<OpenStream | undefined> => {
    const [path = "", ...query] = url.split("?");
    const found = findStream(path);
    if (found === undefined) return undefined;
    const { name, declared, values } = found;
    const user = await identify();
    const read = readRequest(declared, { path: values, query: query.join("?") });
    const fields = declared.query.fields === "string" ? String(read.fields ?? "") : "";
    const projection = readProjection(fields);
    const place = streams.take(user.name);
    try {
      // The table pairs each name with its handler's types.
      const handler = handlers[name] as AnyHandler;
      const messages = streamOf(await handler(read, { user, address, page, signal }));
      return { messages, fields, projection, [Symbol.dispose]: () => place[Symbol.dispose]() };
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  };
}

interface StreamCall {
  readonly name: RouteName;
  readonly declared: AnyRoute;
  readonly pattern: RegExp;
}

const streamCalls: readonly StreamCall[] = everyRoute
  .filter(([, { method, stream, access }]) => method === "GET" && stream === true && access === "token")
  .map(([name, declared]) => {
    const parts = declared.path.split(/\{(\w+)\}/);
    const text = parts.map((part, at) => (at % 2 === 0 ? part.replaceAll(".", "\\.") : `(?<${part}>[^/]+)`));
    return { name, declared, pattern: new RegExp(`^${text.join("")}$`) };
  });

function findStream(path: string) {
  for (const { name, declared, pattern } of streamCalls) {
    const match = pattern.exec(path);
    if (!match) continue;
    const values: Record<string, string> = {};
    for (const [field, value] of Object.entries(match.groups ?? {}))
      values[field] = readPathValue(decoded(value));
    return { name, declared, values };
  }
  return undefined;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
