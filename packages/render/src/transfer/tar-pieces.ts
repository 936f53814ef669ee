import { type Pack, pack } from "tar-stream";

/** One member of a tar archive. */
export interface TarMember {
  readonly name: string;
  readonly mode: number;
  /** Target of a symbolic link; then there is no data. */
  readonly link?: string;
  readonly data: Buffer;
}

/** Small pieces cost a turn of the compressor each: eight times as long for a repository of many small files. */
const pieceBytes = 256 * 2 ** 10;
const beginning = new Date(0);

/** A tar archive (POSIX.1-2001) in pieces. Equal members, equal bytes. */
export async function* tarPieces(members: AsyncIterable<TarMember>): AsyncGenerator<Buffer> {
  const archive = pack();
  fill(archive, members).catch((error: Error) => archive.destroy(error));
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of archive) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}

async function fill(archive: Pack, members: AsyncIterable<TarMember>): Promise<void> {
  for await (const { name, mode, link, data } of members) {
    const kind =
      link === undefined ? ({ type: "file" } as const) : { type: "symlink" as const, linkname: link };
    await new Promise<void>((resolve, reject) => {
      const written = (error?: Error | null) => (error ? reject(error) : resolve());
      archive.entry({ name, mode, mtime: beginning, size: data.length, ...kind }, data, written);
    });
  }
  archive.finalize();
}
