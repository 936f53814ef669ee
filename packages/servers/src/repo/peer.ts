import type { Duplex } from "node:stream";
import { tracedFrom, traceparent } from "@capstan/flow";
import { isRecord, parseJson, stringifyJson } from "@capstan/formats";
import { CapstanError, type Failure, messageOf } from "@capstan/model";
import { FrameChannel } from "./frame-channel.ts";

/** What belongs to one call beside its answer. */
export interface CallMeans {
  readonly signal: AbortSignal;
  /** Sends a part of the answer ahead of it, as JSON text: at once. Resolves when there is room for more. */
  part(json: string): Promise<void>;
}

/** What comes is the other side's half of one contract, which the handler names. */
export type Handler = (request: never, means: CallMeans) => Promise<unknown>;

export interface PeerOptions {
  /** Methods that the other side may call. */
  readonly methods?: Readonly<Record<string, Handler>>;
  /** What the other side may tell, which has no answer. */
  readonly told?: Readonly<Record<string, (value: never) => void>>;
  readonly maxFrameBytes: number;
  /** Calls of the other side at once; what is more fails. */
  readonly maxCalls: number;
  /** How many calls of the other side have no answer yet, whenever that changes. */
  underWay?(calls: number): void;
  /** What calls fail with that had no answer when the connection ended. */
  lost(problem: string | undefined): Error;
  onEnd?(problem: string | undefined): void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  onPart?(value: unknown): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onPart(value: unknown): void;
}

const ignore = (): void => undefined;

/**
 * Calls in both directions over one stream. Exact JSON; failures keep their facts. Each call ends with one message,
 * also one that its caller has given up: until then its parts are heard, since what follows may build on them.
 */
export class Peer {
  readonly #options: PeerOptions;
  readonly #channel: FrameChannel;
  readonly #waiting = new Map<number, Waiting>();
  readonly #running = new Map<number, AbortController>();
  #last = 0;
  #lost: Error | undefined;

  constructor(stream: Duplex, options: PeerOptions) {
    this.#options = options;
    this.#channel = new FrameChannel(stream, options.maxFrameBytes, {
      onFrame: (text) => this.#hear(text),
      onEnd: (problem) => this.#end(problem),
    });
  }

  /** Rejects with the signal's reason at once when that is aborted; the other side is told. */
  async call(method: string, request: unknown, { signal, onPart = ignore }: CallOptions): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#lost) throw this.#lost;
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const trace = traceparent();
    this.#send({ call: id, method, request, ...(trace === undefined ? {} : { trace }) });
    this.#waiting.set(id, { resolve, reject, onPart });
    const giveUp = (): void => {
      reject(signal.reason);
      this.#send({ cancel: id });
    };
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  tell(name: string, value: unknown): void {
    this.#send({ tell: name, value });
  }

  /** Calls of the other side that have no answer yet. */
  get busy(): number {
    return this.#running.size;
  }

  close(): void {
    this.#channel.close();
  }

  #send(message: object): void {
    this.#sendText(stringifyJson(message));
  }

  #sendText(text: string): void {
    const { maxFrameBytes: limitBytes } = this.#options;
    // A character has three bytes at most (UTF-16 pairs have four): short texts need no counting.
    if (text.length * 3 > limitBytes && Buffer.byteLength(text) > limitBytes)
      throw new CapstanError({ code: "OUTPUT_TOO_LARGE", what: "the repo server", limitBytes });
    this.#channel.send(text);
  }

  #hear(text: string): void {
    const message = parseJson(text);
    if (!isRecord(message)) throw new Error("a message is no object");
    const { call, cancel, part, answer, failed, tell } = message;
    if (typeof call === "number") void this.#serve(call, message);
    else if (typeof cancel === "number") this.#running.get(cancel)?.abort(new Error("the caller gave it up"));
    else if (typeof part === "number") this.#waiting.get(part)?.onPart(message.value);
    else if (typeof answer === "number") this.#take(answer)?.resolve(message.value);
    else if (typeof failed === "number") this.#take(failed)?.reject(readFailure(message));
    else if (typeof tell === "string") ownField(this.#options.told, tell)?.(message.value as never);
    else throw new Error("a message is of no known kind");
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #serve(id: number, { method, request, trace }: Record<string, unknown>): Promise<void> {
    const { methods, maxCalls } = this.#options;
    const stop = new AbortController();
    try {
      const handler = ownField(methods, String(method));
      if (!handler) throw new CapstanError({ code: "UNIMPLEMENTED", what: `method ${method}` });
      if (this.#running.size >= maxCalls || this.#running.has(id))
        throw new CapstanError({ code: "QUEUE_FULL", queue: "queue of calls", limit: maxCalls });
      this.#running.set(id, stop);
      this.#options.underWay?.(this.#running.size);
      const part = (json: string): Promise<void> => {
        this.#sendText(`{"part":${id},"value":${json}}`);
        return this.#channel.drained();
      };
      const work = () => handler(request as never, { signal: stop.signal, part });
      // Who calls here is known: what it follows is followed on.
      const value = await (typeof trace === "string"
        ? tracedFrom(trace, { name: String(method) }, work)
        : work());
      this.#send({ answer: id, value });
    } catch (error) {
      this.#send({ failed: id, ...writeFailure(error) });
    } finally {
      if (this.#running.get(id) === stop) {
        this.#running.delete(id);
        this.#options.underWay?.(this.#running.size);
      }
    }
  }

  #end(problem: string | undefined): void {
    const error = this.#options.lost(problem);
    this.#lost = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const stop of this.#running.values()) stop.abort(error);
    this.#options.onEnd?.(problem);
  }
}

function ownField<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

function writeFailure(error: unknown): { failure: Failure } | { message: string } {
  return error instanceof CapstanError ? { failure: error.failure } : { message: messageOf(error) };
}

/** The text is derived anew from the facts. */
function readFailure({ failure, message }: Record<string, unknown>): Error {
  if (isRecord(failure)) return new CapstanError(failure as Failure);
  return new Error(String(message));
}
