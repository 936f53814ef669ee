import { CapstanError } from "@capstan/model";
import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";

export interface ReadLimits {
  /** Of all files together. */
  maxBytes: number;
  maxFiles: number;
}

const filesAtOnce = 256;
const bytesAtOnce = 8 * 2 ** 20;

/** Files with their contents in the given order, read together as far as memory allows. */
export async function* readFiles(
  tree: SourceTree,
  files: readonly TreeEntry[],
  { maxBytes, maxFiles }: ReadLimits,
): AsyncGenerator<{ entry: TreeEntry; data: Buffer }> {
  if (files.length > maxFiles) {
    const problem = `the plugin would get ${files.length} files, more than ${maxFiles}. Exclude some or declare its inputs`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.path", problem });
  }
  let total = 0;
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const group = files.slice(at, at + filesAtOnce);
    const sizes = await Promise.all(group.map((entry) => tree.size(entry)));
    for (const [index, entry] of group.entries()) {
      total += sizes[index] ?? 0;
      if (total > maxBytes)
        throw new CapstanError({
          code: "TREE_TOO_LARGE",
          path: entry.path,
          bytes: total,
          limitBytes: maxBytes,
        });
    }
    for (const batch of batches(group, sizes)) {
      const contents = await Promise.all(batch.map((entry) => tree.read(entry)));
      for (const [index, data] of contents.entries()) {
        const entry = batch[index];
        if (entry) yield { entry, data };
      }
    }
  }
}

/** Runs of files that fit into memory together; a file that does not is a run of its own. */
function batches(group: readonly TreeEntry[], sizes: readonly number[]): TreeEntry[][] {
  const all: TreeEntry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [index, entry] of group.entries()) {
    const size = sizes[index] ?? 0;
    if (bytes + size > bytesAtOnce) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(entry);
    bytes += size;
  }
  return all;
}
