import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { CapstanError, isCapstanError } from "@capstan/model";
import type { ManyStreamsAnswer, ManyStreamsAsk } from "@capstan/wire";
import type { WebSocket } from "ws";
import type { Identity } from "../call.ts";
import { streamErrorOf } from "./error-body.ts";
import type { Projection } from "./project-fields.ts";
import { frameText } from "./write-stream.ts";

/** What one stream sends, and its place among the streams. */
export interface OpenStream extends Disposable {
  readonly messages: AsyncIterable<unknown>;
  readonly fields: string;
  readonly projection: Projection | undefined;
}

interface Options {
  /** Undefined: no stream has this address. Throws what is refused. */
  open(url: string, signal: AbortSignal): Promise<OpenStream | undefined>;
  /** Throws UNAUTHENTICATED once the token holds no more. */
  identify(): Promise<Identity>;
  translateError(error: unknown): unknown;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: { warn(facts: object, message: string): void };
}

/** Of one connection: a browser has a few for each window. Who asks for twice as many and reads no refusal is sent away. */
const mostStreams = 256;
/** The page is told that the connection lives, and the token is looked at; who does not answer for so long has gone. */
const [beatMs, silentMs] = [15_000, 45_000];
/** RFC 6455, 7.4.1. */
const closeCodes = { goingAway: 1001, refused: 1008, failed: 1011 } as const;

/** One connection of a page and all streams that it has asked for over it. */
export class ManyStreams {
  readonly #socket: WebSocket;
  readonly #options: Options;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #open = new Map<number, AbortController>();
  #heardAt: number;

  constructor(socket: WebSocket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#over.signal]);
    this.#heardAt = options.clock.now();
    socket.on("error", () => socket.terminate());
    socket.once("close", () => this.#over.abort(new Error("the page went away")));
    socket.on("pong", () => {
      this.#heardAt = options.clock.now();
    });
    socket.on("message", (data) => this.#take(String(data)));
  }

  /** Until the page leaves, its token ends or the server stops. */
  async run(): Promise<void> {
    const { clock, identify, log } = this.#options;
    try {
      for (;;) {
        await clock.sleep(beatMs, this.#signal);
        if (clock.now() - this.#heardAt > silentMs) return this.#socket.terminate();
        await identify();
        this.#socket.ping();
        await this.#send("");
      }
    } catch (error) {
      if (this.#over.signal.aborted) return;
      const isEnd = this.#signal.aborted || isCapstanError(error, "UNAUTHENTICATED");
      if (!isEnd) log.warn({ err: error }, "a connection of a page failed");
      this.#socket.close(
        this.#signal.aborted ? closeCodes.goingAway : isEnd ? closeCodes.refused : closeCodes.failed,
      );
    } finally {
      this.#over.abort(new Error("the connection has ended"));
    }
  }

  #take(text: string): void {
    const ask = readAsk(text);
    if (ask !== undefined && "close" in ask)
      this.#open.get(ask.close)?.abort(new Error("the page has closed the stream"));
    else if (ask === undefined || this.#open.has(ask.open) || this.#open.size >= 2 * mostStreams)
      this.#socket.close(closeCodes.refused);
    else this.#start(ask);
  }

  #start(ask: { open: number; url: string }): void {
    const left = new AbortController();
    this.#open.set(ask.open, left);
    void this.#play(ask, AbortSignal.any([this.#signal, left.signal])).finally(() =>
      this.#open.delete(ask.open),
    );
  }

  async #play({ open: id, url }: { open: number; url: string }, signal: AbortSignal): Promise<void> {
    const { open, translateError, log } = this.#options;
    try {
      if (this.#open.size > mostStreams)
        throw new CapstanError({ code: "QUEUE_FULL", queue: "streams of a page", limit: mostStreams });
      using stream = await open(url, signal);
      if (stream === undefined)
        throw new CapstanError({ code: "NOT_FOUND", what: `the stream ${url.split("?")[0]}` });
      await this.#tell({ id, opened: true });
      const { messages, fields, projection } = stream;
      for await (const message of messages) {
        if (signal.aborted) return;
        // Not read ahead of the page: each stream waits until its message is on its way.
        await this.#send(`{"id":${id},${frameText(message, fields, projection).slice(1)}`);
      }
      await this.#tell({ id, ended: true });
    } catch (thrown) {
      if (signal.aborted) return;
      const error = streamErrorOf(translateError(thrown));
      if (error.http_code >= 500) log.warn({ err: thrown, path: url.split("?")[0] }, "stream failed");
      await this.#tell({ id, error });
    }
  }

  #tell(answer: ManyStreamsAnswer): Promise<void> {
    return this.#send(JSON.stringify(answer));
  }

  /** Resolves when it is on its way, or when nobody is there any more. */
  #send(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) resolve();
      else this.#socket.send(text, () => resolve());
    });
  }
}

const longestUrl = 8_192;

function readAsk(text: string): ManyStreamsAsk | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { open, close, url } = value;
  if (isId(close)) return { close };
  if (!isId(open) || typeof url !== "string" || url.length > longestUrl) return undefined;
  return { open, url };
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
