import { hash } from "node:crypto";
import { formatTime } from "@capstan/formats";
import { CapstanError, isCapstanError } from "@capstan/model";
import { ArchiveTree } from "./archive-tree.ts";
import type { SourceAt, Sources } from "./sources.ts";

/** Of what an archive unpacks to; its own length is limited where it arrives. */
const limits = { maxBytes: 64 * 2 ** 20, maxFiles: 10_000 };

/**
 * Files that a person sends instead of what is committed. Their revision is the digest of the archive, and their
 * digests are marked: a rendering of them must never be taken for one of the repository's.
 */
export function uploadedSources(): Sources {
  return {
    resolve: async ({ uploaded = "" }) => {
      const revision = hash("sha256", Buffer.from(uploaded, "base64"));
      return { revision, ambiguous: revision };
    },
    tree,
    metadata: async () => ({ author: "", date: formatTime(0), message: "files that were sent", tags: [] }),
  };
}

async function tree({ uploaded = "", revision }: SourceAt): Promise<ArchiveTree> {
  try {
    const form = { isChart: false, mark: "uploaded\0", what: "the sent archive" };
    return await ArchiveTree.read(Buffer.from(uploaded, "base64"), revision, { ...limits, ...form });
  } catch (error) {
    if (isCapstanError(error)) throw error;
    const problem = `is no tar packed with gzip: ${error instanceof Error ? error.message : String(error)}`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "files", problem }, error);
  }
}
