import type { Duplex } from "node:stream";
import { ByteQueue } from "./byte-queue.ts";
import { HeaderBlocks } from "./spdy-headers.ts";

const type = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
const fin = 1;
const mostFrame = 1 << 20;
/** kubectl opens up to five for a command, and two for each connection that it forwards. */
const mostStreams = 200;

export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  readonly input: ByteQueue;
  write(bytes: Uint8Array): void;
  /** Nothing more is written. */
  end(): void;
}

/**
 * The server's half of SPDY/3.1 as moby/spdystream speaks it, which is all that Kubernetes' clients use: streams that
 * the client opens, data both ways, no flow control. Resolves when the client has left.
 */
export async function serveSpdy(
  connection: Duplex,
  opened: (stream: SpdyStream) => void,
  signal: AbortSignal,
): Promise<void> {
  const spdy = new Spdy(connection, opened);
  const end = (): void => void connection.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    await spdy.serve();
  } finally {
    signal.removeEventListener("abort", end);
    spdy.close();
  }
}

class Spdy {
  readonly #connection: Duplex;
  readonly #opened: (stream: SpdyStream) => void;
  readonly #blocks = new HeaderBlocks();
  readonly #inputs = new Map<number, ByteQueue>();
  #pending: Buffer = Buffer.alloc(0);

  constructor(connection: Duplex, opened: (stream: SpdyStream) => void) {
    this.#connection = connection;
    this.#opened = opened;
  }

  async serve(): Promise<void> {
    for await (const piece of this.#connection) {
      this.#pending = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
      for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame())
        await this.#receive(frame);
    }
  }

  close(): void {
    for (const input of this.#inputs.values()) input.end();
    this.#blocks.close();
    this.#connection.destroy();
  }

  #nextFrame(): Buffer | undefined {
    if (this.#pending.length < 8) return undefined;
    const size = 8 + this.#pending.readUIntBE(5, 3);
    if (size > mostFrame) throw new Error("a frame is too large");
    if (this.#pending.length < size) return undefined;
    const frame = this.#pending.subarray(0, size);
    this.#pending = this.#pending.subarray(size);
    return frame;
  }

  async #receive(frame: Buffer): Promise<void> {
    const isControl = frame.readUInt8(0) >= 0x80;
    const id = frame.readUInt32BE(isControl ? Math.min(8, frame.length - 4) : 0) & 0x7fffffff;
    const isLast = (frame.readUInt8(4) & fin) !== 0;
    if (!isControl) this.#take(id, frame.subarray(8), isLast);
    else
      switch (frame.readUInt16BE(2)) {
        case type.synStream:
          return this.#open(id, { block: frame.subarray(18), isLast });
        case type.headers:
          await this.#blocks.read(frame.subarray(12));
          break;
        case type.reset:
          this.#inputs.get(id)?.end();
          this.#inputs.delete(id);
          break;
        case type.ping:
          this.#send(Buffer.from(frame));
          break;
        case type.goAway:
          this.#connection.end();
      }
  }

  #take(id: number, bytes: Buffer, isLast: boolean): void {
    const input = this.#inputs.get(id);
    if (input?.push(Uint8Array.from(bytes)) === false) throw new Error("nobody reads what is sent");
    if (isLast) input?.end();
  }

  async #open(id: number, { block, isLast }: { block: Buffer; isLast: boolean }): Promise<void> {
    const headers = await this.#blocks.read(block);
    if (this.#inputs.size >= mostStreams) throw new Error("too many streams");
    const input = new ByteQueue();
    if (isLast) input.end();
    this.#inputs.set(id, input);
    this.#control(type.synReply, id, await this.#blocks.write({}));
    this.#opened({
      headers,
      input,
      write: (bytes) => this.#data(id, Buffer.from(bytes), 0),
      end: () => this.#data(id, Buffer.alloc(0), fin),
    });
  }

  #control(kind: number, id: number, rest: Buffer): void {
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(kind, 2);
    head.writeUIntBE(4 + rest.length, 5, 3);
    head.writeUInt32BE(id, 8);
    this.#send(Buffer.concat([head, rest]));
  }

  #data(id: number, bytes: Buffer, flags: number): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head.writeUInt8(flags, 4);
    head.writeUIntBE(bytes.length, 5, 3);
    this.#send(Buffer.concat([head, bytes]));
    if (flags === fin) this.#inputs.delete(id);
  }

  #send(bytes: Buffer): void {
    if (this.#connection.writable) this.#connection.write(bytes);
  }
}
