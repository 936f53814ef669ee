import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CapstanError } from "@capstan/model";
import { type SourceTree, type TreeEntry, traceLink } from "@capstan/plugin-kit";
import { type ReadLimits, readFiles } from "./read-files.ts";
import { type Selection, selectFiles } from "./select-files.ts";
import { Spool, type SpoolOptions } from "./spool.ts";
import { type TarMember, tarPieces } from "./tar-pieces.ts";

export interface ArchiveOptions extends ReadLimits, SpoolOptions {
  signal: AbortSignal;
}

/** A tar+gzip archive of a tree as stock plugin servers take it (Argo CD: util/io/files/tar.go, util/tgzstream). */
export interface TreeArchive {
  /** SHA-256 of the compressed bytes, lower-case hex. */
  readonly checksum: string;
  readonly store: Spool;
}

/** It is made once and sent for each render: from the third on, what is sent less pays for half as much time again. */
const level = 4;

export async function makeTreeArchive(
  tree: SourceTree,
  selection: Selection,
  options: ArchiveOptions,
): Promise<TreeArchive> {
  const files = await selectFiles(tree, selection);
  if (files.length === 0) {
    const problem = "there are no files to send to the plugin; look at the tar exclusions";
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: "the repository", problem });
  }
  const store = new Spool(options);
  const checksum = createHash("sha256");
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      checksum.update(chunk);
      await store.write(chunk);
    }
  };
  try {
    const gzip = createGzip({ level, chunkSize: 256 * 2 ** 10 });
    const { signal } = options;
    await pipeline(tarPieces(members(tree, files, options)), gzip, keep, { signal });
    return { checksum: checksum.digest("hex"), store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function* members(
  tree: SourceTree,
  files: readonly TreeEntry[],
  limits: ReadLimits,
): AsyncGenerator<TarMember> {
  for await (const { entry, data } of readFiles(tree, files, limits)) {
    if (entry.kind === "symlink") {
      // Refuses what leads out of the repository, as Argo CD does before it renders anything.
      await traceLink(tree, entry);
      yield { name: entry.path, mode: 0o777, link: data.toString(), data: Buffer.alloc(0) };
    } else yield { name: entry.path, mode: entry.kind === "executable" ? 0o755 : 0o644, data };
  }
}
