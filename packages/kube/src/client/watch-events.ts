import { longText, ownTurn } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";

import { kubeErrorOf } from "./kube-error.ts";

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: Manifest;
}

/** An object of 3 MiB is already more than etcd takes. */
const maxLine = 16 * 1024 * 1024;

/** Cuts a stream into lines. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  const lines = new Lines();
  for await (const piece of pieces) {
    lines.add(piece);
    for (let line = lines.take(); line !== undefined; line = lines.take()) yield line;
  }
  if (lines.rest !== "") yield lines.rest;
}

class Lines {
  /** Of a line whose end is still to come. */
  rest = "";
  #piece = "";
  #at = 0;

  /** To be called once all lines of the piece before have been taken. */
  add(piece: string): void {
    this.#piece = piece;
    this.#at = 0;
  }

  /** The next whole line that is not empty; undefined where more of the stream is needed for it. */
  take(): string | undefined {
    for (let end = this.#end(); end >= 0; end = this.#end()) {
      const line = this.rest + this.#piece.slice(this.#at, end);
      this.rest = "";
      this.#at = end + 1;
      if (line !== "") return line;
    }
    this.rest += this.#piece.slice(this.#at);
    this.add("");
    if (this.rest.length > maxLine)
      throw new Error(`a line of the stream is longer than ${maxLine} characters`);
    return undefined;
  }

  #end(): number {
    return this.#piece.indexOf("\n", this.#at);
  }
}

export interface OpenedWatch extends Disposable {
  readonly pieces: AsyncIterable<string>;
}

/**
 * The events of a watch that is opened when the first is asked for. An ERROR event, or something that is no event, ends it
 * with an error. It waits for each piece of the stream, not for each event: in a busy process all else that may go on goes
 * on in each wait, and a piece would be held until the last of its events had had its turns.
 */
export class WatchStream implements AsyncIterableIterator<WatchEvent, undefined> {
  readonly #open: () => Promise<OpenedWatch>;
  readonly #read: (line: string) => WatchEvent;
  readonly #lines = new Lines();
  #opened: OpenedWatch | undefined;
  #pieces: AsyncIterator<string> | undefined;
  #isOver = false;

  constructor(open: () => Promise<OpenedWatch>, read: (line: string) => WatchEvent) {
    this.#open = open;
    this.#read = read;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    if (this.#isOver) return over;
    try {
      const line = this.#lines.take() ?? (await this.#nextLine());
      if (line === undefined) return await this.return();
      if (line.length > longText) await ownTurn();
      return { done: false, value: this.#read(line) };
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<WatchEvent, undefined>> {
    if (this.#isOver) return over;
    this.#isOver = true;
    using _ = this.#opened;
    await this.#pieces?.return?.();
    return over;
  }

  /** Undefined at the end. */
  async #nextLine(): Promise<string | undefined> {
    this.#opened ??= await this.#open();
    this.#pieces ??= this.#opened.pieces[Symbol.asyncIterator]();
    for (let next = await this.#pieces.next(); !next.done; next = await this.#pieces.next()) {
      this.#lines.add(next.value);
      const line = this.#lines.take();
      if (line !== undefined) return line;
    }
    const last = this.#lines.rest;
    this.#lines.rest = "";
    return last === "" ? undefined : last;
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

export function readEvent(line: string): WatchEvent {
  const event: unknown = parseJson(line);
  if (!isRecord(event)) throw new Error("the watch sent something that is not an event");
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      if (!isManifest(object)) throw new Error(`the watch sent a ${type} event without an object`);
      return { type, object };
    case "ERROR":
      throw kubeErrorOf(500, object);
    default:
      throw new Error(`the watch sent an event of unknown type ${String(type)}`);
  }
}
