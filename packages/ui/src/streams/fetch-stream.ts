import { pageSecretHeader, type StreamFrame } from "@capstan/wire";
import type { Session } from "./hub.ts";
import { RequestFailure, refusal, unreachable } from "./request-failure.ts";

export interface FetchReader {
  readonly signal: AbortSignal;
  onOpen(): void;
  onMessage(message: unknown): void;
}

/** Asks as the page; throws RequestFailure. */
export async function fetchOf(
  url: string,
  { base, secret }: Session,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (secret !== undefined) headers[pageSecretHeader] = secret;
  let response: Response;
  try {
    response = await fetch(base + url, { headers, credentials: "same-origin", signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw unreachable(`GET ${url}`, cause);
  }
  if (!response.ok) throw await refusal(response, `GET ${url}`);
  return response;
}

/** Longest line that a stream may send; one application with its status is far below. */
const maximumLine = 32 * 1024 * 1024;

/** Reads newline-separated frames until the server ends the stream. */
export async function readByFetch(url: string, session: Session, reader: FetchReader): Promise<void> {
  const silence = watchSilence();
  const signal = AbortSignal.any([reader.signal, silence.signal]);
  const response = await fetchOf(url, session, signal);
  reader.onOpen();
  if (response.body === null) return;
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
    for (const line of lines) if (line.trim() !== "") deliver(line, `GET ${url}`, reader);
  }
}

function deliver(line: string, request: string, reader: FetchReader): void {
  const frame: StreamFrame<unknown> = JSON.parse(line);
  if ("error" in frame)
    throw new RequestFailure({ status: frame.error.http_code, request, message: frame.error.message });
  reader.onMessage(frame.result);
}

/** The server gives a sign of life every 15 s; a laptop that slept, or a proxy, leaves a stream that is dead. */
const longestSilenceMs = 45_000;

export function watchSilence() {
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
