import { buildRequest, pageSecretHeader, type Route, type StreamFrame } from "@capstan/wire";
import { serverUrl } from "../server-url.ts";
import { pageSecret } from "./page-secret.ts";

/** A request that the server refused or that never reached it. The text names the request, to be shown as is. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly request: string;
  constructor(facts: { status: number; request: string; message: string; cause?: unknown }) {
    super(facts.message, { cause: facts.cause });
    this.status = facts.status;
    this.request = facts.request;
  }
}

const sessionListeners = new Set<() => void>();

/** Calls `listener` whenever the server no longer knows who asks. */
export function onSessionLost(listener: () => void): () => void {
  sessionListeners.add(listener);
  return () => sessionListeners.delete(listener);
}

export async function call<In extends object, Out>(
  route: Route<In, Out>,
  request: In,
  signal?: AbortSignal,
): Promise<Out> {
  const response = await send(route, request, signal);
  return response.json();
}

async function send<In extends object>(
  route: Route<In, unknown>,
  request: In,
  signal?: AbortSignal,
): Promise<Response> {
  const { method, url, body } = buildRequest(route, request);
  const text = `${method} ${url}`;
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET") headers["content-type"] = "application/json";
  const secret = pageSecret();
  if (secret !== undefined) headers[pageSecretHeader] = secret;
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (body !== undefined) init.body = body;
  if (signal) init.signal = signal;
  let response: Response;
  try {
    response = await fetch(serverUrl(url), init);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new RequestFailure({ status: 0, request: text, message: "The server cannot be reached.", cause });
  }
  if (response.ok) return response;
  const failure = await refusal(response, text);
  if (response.status === 401 && route.path !== "/api/v1/session")
    for (const tell of sessionListeners) tell();
  throw failure;
}

export async function refusal(response: Response, request: string): Promise<RequestFailure> {
  const text = await response.text();
  return new RequestFailure({
    status: response.status,
    request,
    message: messageOf(text) ?? `The server answered ${response.status} ${response.statusText}.`.trim(),
  });
}

/** grpc-gateway puts the sentence into `message`, older versions into `error`. */
function messageOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return undefined;
    if ("message" in body && typeof body.message === "string" && body.message !== "") return body.message;
    if ("error" in body && typeof body.error === "string" && body.error !== "") return body.error;
  } catch {
    return undefined;
  }
  return undefined;
}

export interface StreamReader<Out> {
  signal: AbortSignal;
  onOpen?(): void;
  onMessage(message: Out): void;
}

/** Longest line that a stream may send; one application with its status is far below. */
const maximumLine = 32 * 1024 * 1024;

/** Reads newline-separated frames until the server ends the stream. */
export async function readStream<In extends object, Out>(
  route: Route<In, Out>,
  request: In,
  reader: StreamReader<Out>,
): Promise<void> {
  const silence = watchSilence();
  const response = await send(route, request, AbortSignal.any([reader.signal, silence.signal]));
  reader.onOpen?.();
  if (response.body === null) return;
  const { url } = buildRequest(route, request);
  let rest = "";
  const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    silence.heard();
    const { done, value } = await chunks.read();
    if (done) return silence.stop();
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maximumLine)
      throw new Error(`GET ${url}: a message of the stream is larger than 32 MB`);
    for (const line of lines) {
      if (line.trim() !== "") deliver(line, `GET ${url}`, reader);
    }
  }
}

/** The server gives a sign of life every 15 s; a laptop that slept, or a proxy, leaves a stream that is dead. */
const longestSilenceMs = 45_000;

function watchSilence() {
  const dead = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    signal: dead.signal,
    heard() {
      clearTimeout(timer);
      timer = setTimeout(() => dead.abort(new Error("The server has gone silent.")), longestSilenceMs);
    },
    stop: () => clearTimeout(timer),
  };
}

function deliver<Out>(line: string, request: string, reader: StreamReader<Out>): void {
  const frame: StreamFrame<Out> = JSON.parse(line);
  if ("error" in frame) {
    throw new RequestFailure({ status: frame.error.http_code, request, message: frame.error.message });
  }
  reader.onMessage(frame.result);
}
