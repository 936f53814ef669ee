import { createHash } from "node:crypto";
import type { TreeEntry } from "@capstan/plugin-kit";

export type GitHash = "sha1" | "sha256";

const modes = {
  file: "100644",
  executable: "100755",
  symlink: "120000",
  directory: "40000",
  submodule: "160000",
} as const;

export function blobId(data: Buffer, algorithm: GitHash): string {
  return objectId("blob", data, algorithm);
}

/** Of a directory: names in byte order, a directory's as if it ended in a slash. */
export function treeId(entries: readonly TreeEntry[], algorithm: GitHash): string {
  const sorted = entries.toSorted((left, right) => byBytes(sortName(left), sortName(right)));
  const parts = sorted.flatMap(({ name, kind, digest }) => [
    Buffer.from(`${modes[kind]} ${name}\0`),
    Buffer.from(digest, "hex"),
  ]);
  return objectId("tree", Buffer.concat(parts), algorithm);
}

export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function objectId(type: "blob" | "tree", data: Buffer, algorithm: GitHash): string {
  return createHash(algorithm).update(`${type} ${data.length}\0`).update(data).digest("hex");
}

function sortName({ name, kind }: TreeEntry): string {
  return kind === "directory" ? `${name}/` : name;
}
