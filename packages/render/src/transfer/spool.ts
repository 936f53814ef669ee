import { type FileHandle, open, rm } from "node:fs/promises";

export interface SpoolOptions {
  /** Where the bytes go once they exceed what may be in memory; its name is free again at once. */
  file: string;
  maxMemoryBytes: number;
}

const chunkBytes = 256 * 2 ** 10;

/** Bytes written once and read many times: in memory, or in a file without a name, which a kill leaves nothing of. */
export class Spool {
  readonly #options: SpoolOptions;
  #chunks: Buffer[] = [];
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get memoryBytes(): number {
    return this.#file ? 0 : this.#bytes;
  }

  async write(chunk: Buffer): Promise<void> {
    this.#bytes += chunk.length;
    if (this.#file) {
      await this.#file.writeFile(chunk);
      return;
    }
    this.#chunks.push(chunk);
    if (this.#bytes > this.#options.maxMemoryBytes) await this.#moveToFile();
  }

  async *read(): AsyncGenerator<Buffer> {
    if (!this.#file) {
      yield* this.#chunks;
      return;
    }
    for (let at = 0; at < this.#bytes; ) {
      const piece = Buffer.alloc(Math.min(chunkBytes, this.#bytes - at));
      const { bytesRead } = await this.#file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error("a spooled archive is shorter than it was");
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    this.#chunks = [];
    await this.#file?.close();
  }

  async #moveToFile(): Promise<void> {
    const { file } = this.#options;
    this.#file = await open(file, "wx+", 0o600);
    await rm(file);
    for (const chunk of this.#chunks) await this.#file.writeFile(chunk);
    this.#chunks = [];
  }
}
