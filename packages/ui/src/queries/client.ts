import { buildRequest, pageSecretHeader, type Route } from "@capstan/wire";
import { serverUrl } from "../server-url.ts";
import { openStream } from "../streams/open-streams.ts";
import { type FailureFacts, RequestFailure, refusal, unreachable } from "../streams/request-failure.ts";
import { pageSecret } from "./page-secret.ts";

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
    throw unreachable(text, cause);
  }
  if (response.ok) return response;
  const failure = await refusal(response, text);
  if (response.status === 401 && route.path !== "/api/v1/session")
    for (const tell of sessionListeners) tell();
  throw failure;
}

export interface StreamReader<Out> {
  signal: AbortSignal;
  onOpen?(): void;
  onMessage(message: Out): void;
}

/** Until the server ends the stream. */
export function readStream<In extends object, Out>(
  route: Route<In, Out>,
  request: In,
  { signal, onOpen, onMessage }: StreamReader<Out>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = openStream(
      { url: buildRequest(route, request).url, secret: pageSecret() },
      {
        open: () => onOpen?.(),
        // What the route streams.
        message: (message) => onMessage(message as Out),
        end: (failure) => (failure ? reject(streamFailure(failure)) : resolve()),
      },
    );
    signal.addEventListener("abort", () => {
      stream.close();
      reject(signal.reason);
    });
  });
}

export function streamFailure(facts: FailureFacts): RequestFailure {
  if (facts.status === 401) for (const tell of sessionListeners) tell();
  return new RequestFailure(facts);
}
