import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { messageOf } from "@capstan/model";
import type { cmp } from "@capstan/wire/plugin-protocols";
import { type ExtractOptions, extractArchive } from "./extract-archive.ts";

type Requests = AsyncIterable<cmp.AppStreamRequest>;

/** The first message of a stock stream (Argo CD: util/cmp/stream.go), and what follows it. */
export async function readMetadata(
  requests: Requests,
): Promise<{ metadata: cmp.ManifestRequestMetadata; archive: ArchivePieces }> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  const request = first.done === true ? undefined : first.value.request;
  if (request?.case !== "metadata") throw new Error("error getting stream metadata: metadata is nil");
  return { metadata: request.value, archive: new ArchivePieces(messages) };
}

/**
 * Unpacks the pieces of the archive, of any size, as they come. The checksum is of the compressed bytes; the size
 * that the metadata tells does not count.
 */
export async function receiveArchive(
  pieces: ArchivePieces,
  checksum: string,
  options: ExtractOptions,
): Promise<void> {
  const isDamaged = () => pieces.checksum() !== checksum;
  try {
    await extractArchive(Readable.from(pieces.read(), { objectMode: false }), options);
  } catch (error) {
    if (pieces.fault) throw new Error(`error receiving tgz file: ${pieces.fault.message}`, { cause: error });
    // A damaged archive mostly fails to unpack before its checksum is known; and a caller that is still
    // sending would not hear the answer.
    const isWhole = await pieces.skip(options.maxTreeBytes);
    if (isWhole && isDamaged()) throw checksumFault();
    throw new Error(`error decompressing tgz file: ${messageOf(error)}`, { cause: error });
  }
  await pieces.skip(options.maxTreeBytes);
  if (isDamaged()) throw checksumFault();
}

function checksumFault(): Error {
  return new Error("error receiving tgz file: file checksum validation error");
}

const batchBytes = 64 * 2 ** 10;

class ArchivePieces {
  readonly #messages: AsyncIterator<cmp.AppStreamRequest>;
  readonly #hasher = createHash("sha256");
  fault: Error | undefined;

  constructor(messages: AsyncIterator<cmp.AppStreamRequest>) {
    this.#messages = messages;
  }

  /** Pieces come by the kilobyte: handed on one by one, each would cost a turn of the decompressor. */
  async *read(): AsyncGenerator<Buffer> {
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    for (let next = await this.#messages.next(); next.done !== true; next = await this.#messages.next()) {
      const { request } = next.value;
      if (request.case !== "file") {
        this.fault = new Error("stream request file is nil");
        throw this.fault;
      }
      waiting.push(request.value.chunk);
      bytes += request.value.chunk.length;
      if (bytes < batchBytes) continue;
      yield this.#hashed(waiting);
      waiting = [];
      bytes = 0;
    }
    if (bytes > 0) yield this.#hashed(waiting);
  }

  #hashed(pieces: readonly Uint8Array[]): Buffer {
    const batch = Buffer.concat(pieces);
    this.#hasher.update(batch);
    return batch;
  }

  /** Reads what is left, up to a limit; whether that was all. */
  async skip(limitBytes: number): Promise<boolean> {
    let bytes = 0;
    for await (const piece of this.read()) {
      bytes += piece.length;
      if (bytes > limitBytes) return false;
    }
    return true;
  }

  checksum(): string {
    return this.#hasher.copy().digest("hex");
  }
}
