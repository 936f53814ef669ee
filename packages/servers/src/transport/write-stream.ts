import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import { streamErrorOf } from "./error-body.ts";
import { type Projection, readProjection } from "./project-fields.ts";

export interface StreamOptions {
  /** Newline JSON, or server-sent events for browsers. */
  framing: "lines" | "events";
  /** What messages are cut to: paths below `result`. */
  fields?: string | undefined;
  clock: Clock;
  signal: AbortSignal;
  onError(error: unknown): void;
}

const heartbeatMs = 15_000;

/** Texts of messages by what was asked of them: one that goes to many watchers is serialised once for all who ask alike. */
const texts = new WeakMap<object, Map<string, string>>();
/** Of one message: some are kept for those who come later, and anybody may ask for yet another form. */
const mostTexts = 8;

export function frameText(message: unknown, fields: string, projection: Projection | undefined): string {
  if (typeof message !== "object" || message === null) return `{"result":${stringifyJson(message)}}`;
  const known = texts.get(message) ?? new Map<string, string>();
  const found = known.get(fields);
  if (found !== undefined) return found;
  const frame = { result: message };
  const text = stringifyJson(projection ? projection.whole(frame) : frame);
  if (known.size < mostTexts) texts.set(message, known.set(fields, text));
  return text;
}

/** Sends messages no faster than the reader takes them, and a sign of life while there are none. */
export async function writeStream(
  response: ServerResponse,
  messages: AsyncIterable<unknown>,
  options: StreamOptions,
): Promise<void> {
  const { framing, signal, fields = "" } = options;
  const projection = readProjection(fields);
  const frame = framing === "events" ? (text: string) => `data: ${text}\n\n` : (text: string) => `${text}\n`;
  response.writeHead(200, {
    "content-type": framing === "events" ? "text/event-stream" : "application/json",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
  });
  response.flushHeaders();
  const ended = new AbortController();
  void beat(response, framing, { ...options, signal: AbortSignal.any([signal, ended.signal]) });
  try {
    for await (const message of messages) {
      if (!response.write(frame(frameText(message, fields, projection))))
        await once(response, "drain", { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    options.onError(error);
    response.write(frame(JSON.stringify({ error: streamErrorOf(error) })));
  } finally {
    ended.abort();
    response.end();
  }
}

async function beat(
  response: ServerResponse,
  framing: string,
  { clock, signal }: StreamOptions,
): Promise<void> {
  const sign = framing === "events" ? ":\n\n" : "\n";
  while (!signal.aborted) {
    const isOver = await clock.sleep(heartbeatMs, signal).then(
      () => false,
      () => true,
    );
    if (isOver) return;
    if (!response.writableNeedDrain) response.write(sign);
  }
}
