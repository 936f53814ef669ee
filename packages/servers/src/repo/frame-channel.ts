import type { Duplex } from "node:stream";
import { messageOf } from "@capstan/model";

const headerBytes = 4;

export interface FrameEnds {
  /** A whole text, in the order of sending. What it throws closes the channel. */
  onFrame(text: string): void;
  /** Once; with what was wrong, or without where the other side closed it. */
  onEnd(problem?: string): void;
}

/** Texts on a stream, each behind its length: four bytes, big-endian. */
export class FrameChannel {
  readonly #stream: Duplex;
  readonly #maxBytes: number;
  readonly #ends: FrameEnds;
  #chunks: Buffer[] = [];
  #held = 0;
  #isOver = false;
  #draining: Promise<void> | undefined;

  /** A text that announces more than `maxBytes` ends the channel before anything of it is kept. */
  constructor(stream: Duplex, maxBytes: number, ends: FrameEnds) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    this.#ends = ends;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", (error) => this.close(messageOf(error)));
    for (const event of ["end", "close"]) stream.on(event, () => this.close());
  }

  send(text: string): void {
    if (this.#isOver) return;
    const length = Buffer.byteLength(text);
    const frame = Buffer.allocUnsafe(headerBytes + length);
    frame.writeUInt32BE(length);
    frame.write(text, headerBytes);
    this.#writeSoon(frame);
  }

  /** What is sent in one turn goes out together: each write wakes the other side. */
  #writeSoon(frame: Buffer): void {
    if (this.#stream.writableCorked === 0) {
      this.#stream.cork();
      process.nextTick(() => this.#stream.uncork());
    }
    this.#stream.write(frame);
  }

  /** When what was sent is on its way, or the channel has ended. */
  drained(): Promise<void> {
    if (this.#isOver || !this.#stream.writableNeedDrain) return Promise.resolve();
    this.#draining ??= new Promise<void>((resolve) => {
      for (const event of ["drain", "close"])
        this.#stream.once(event, () => {
          this.#draining = undefined;
          resolve();
        });
    });
    return this.#draining;
  }

  close(problem?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#chunks = [];
    if (this.#stream.writableCorked > 0) this.#stream.uncork();
    this.#stream.destroy();
    this.#ends.onEnd(problem);
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    try {
      for (let text = this.#next(); text !== undefined; text = this.#next()) this.#ends.onFrame(text);
    } catch (error) {
      this.close(messageOf(error));
    }
  }

  #next(): string | undefined {
    if (this.#isOver || this.#held < headerBytes) return undefined;
    const length = this.#gather(headerBytes).readUInt32BE();
    if (length > this.#maxBytes)
      throw new Error(`a message of ${length} bytes is larger than the limit of ${this.#maxBytes}`);
    if (this.#held < headerBytes + length) return undefined;
    const whole = this.#gather(headerBytes + length);
    const text = whole.toString("utf8", headerBytes, headerBytes + length);
    this.#chunks = this.#chunks.slice(1);
    const rest = whole.subarray(headerBytes + length);
    if (rest.length > 0) this.#chunks.unshift(rest);
    this.#held -= headerBytes + length;
    return text;
  }

  /** The first chunk, with at least so many bytes in it. */
  #gather(bytes: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    if (first.length >= bytes) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
