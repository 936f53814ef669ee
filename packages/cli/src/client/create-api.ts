import {
  buildRequest,
  type InOf,
  type OutOf,
  type Route,
  type RouteName,
  type Routes,
  routes,
} from "@capstan/wire";
import { type Api, ApiError } from "../api.ts";

/** The part of fetch that is used, so that undici's with a certificate of one's own fits as well. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

interface FetchInit {
  method: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  body?: string;
  redirect?: "error";
}

interface FetchAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
  text(): Promise<string>;
}

interface ApiInput {
  url: string;
  /** Asked for before the first call that needs it. */
  token(): Promise<string | undefined>;
  headers: Readonly<Record<string, string>>;
  fetch: Fetch;
  /** What went well and is yet not as it seems. */
  warn?(text: string): void;
  signal: AbortSignal;
}

export function createApi(input: ApiInput): Api {
  async function send(name: RouteName, request: object, signal: AbortSignal): Promise<FetchAnswer> {
    const route: Pick<Route<never, unknown>, "sameForAll" | "session"> = routes[name];
    const { method, url, body } = buildRequest(routes[name], request);
    const token = route.sameForAll || route.session === "begins" ? undefined : await input.token();
    const response = await input
      .fetch(input.url + url, {
        method,
        headers: {
          accept: "application/json",
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...input.headers,
        },
        signal,
        ...(body === undefined ? {} : { body }),
      })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Error(`cannot reach ${input.url}: ${reasonOf(error)}`, { cause: error });
      });
    if (!response.ok) throw await refusalOf(response);
    for (const text of warningsOf(response)) input.warn?.(text);
    return response;
  }

  return {
    url: input.url,
    async call<N extends RouteName>(
      name: N,
      request: InOf<Routes[N]>,
      signal = input.signal,
    ): Promise<OutOf<Routes[N]>> {
      const response = await send(name, Object(request), signal);
      return parseAnswer(await response.text());
    },
    async stream<N extends RouteName>(name: N, request: InOf<Routes[N]>, signal: AbortSignal) {
      const response = await send(name, Object(request), signal);
      return framesOf<OutOf<Routes[N]>>(response);
    },
  };
}

/** `299 capstan "text"`, several with commas between. */
function warningsOf({ headers }: FetchAnswer): string[] {
  const quoted = (headers.get("warning") ?? "").matchAll(/299 capstan "((?:[^"\\]|\\.)*)"/g);
  return [...quoted].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}

interface Frame<T> {
  result?: T;
  error?: { message?: string; grpc_code?: number; http_code?: number };
}

async function* framesOf<T>({ body }: FetchAnswer): AsyncIterable<T> {
  for await (const line of linesOf(body ?? [])) {
    const { result, error } = parseAnswer<Frame<T>>(line);
    if (error)
      throw new ApiError(error.message ?? "the stream failed", {
        code: error.grpc_code ?? 2,
        status: error.http_code ?? 500,
      });
    if (result !== undefined) yield result;
  }
}

/** The table of routes says what a call answers; a server of another version may say less. */
function parseAnswer<T>(text: string): T {
  return JSON.parse(text === "" ? "{}" : text) as T;
}

async function* linesOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield line;
  }
  if (rest.trim() !== "") yield rest;
}

async function refusalOf(response: FetchAnswer): Promise<ApiError> {
  const text = await response.text();
  const { status } = response;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "message" in body) {
      const code = "code" in body && typeof body.code === "number" ? body.code : 2;
      return new ApiError(String(body.message), { code, status });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new ApiError(`the server answered ${status}: ${text.slice(0, 200).trim() || "nothing"}`, {
    code: 2,
    status,
  });
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
