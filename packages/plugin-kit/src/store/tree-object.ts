import { hash } from "node:crypto";

/** One line of a directory, as in git. */
export interface DirectoryEntry {
  readonly name: string;
  readonly mode: number;
  readonly id: string;
}

/** What a store keeps under an id: a file's bytes, a link's target, or a directory. */
export type TreeObject = Buffer | readonly DirectoryEntry[];

export const modes = { directory: 0o40000, symlink: 0o120000, submodule: 0o160000, executable: 0o100755 };

export function isDirectory(object: TreeObject): object is readonly DirectoryEntry[] {
  return !Buffer.isBuffer(object);
}

/** The id that git gives an object; nothing where the format is not git's. */
export function gitId(object: TreeObject, format: string): string | undefined {
  if (format !== "sha1" && format !== "sha256") return undefined;
  const kind = isDirectory(object) ? "tree" : "blob";
  const body = isDirectory(object) ? directoryBytes(object) : object;
  return hash(format, Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]), "hex");
}

function directoryBytes(entries: readonly DirectoryEntry[]): Buffer {
  // Git sorts directories as if their names ended in a slash.
  const sorted = entries
    .map((entry) => ({
      ...entry,
      key: Buffer.from(entry.mode === modes.directory ? `${entry.name}/` : entry.name),
    }))
    .sort((left, right) => Buffer.compare(left.key, right.key));
  return Buffer.concat(
    sorted.flatMap(({ name, mode, id }) => [
      Buffer.from(`${mode.toString(8)} ${name}\0`),
      Buffer.from(id, "hex"),
    ]),
  );
}

export function sizeOf(object: TreeObject): number {
  return isDirectory(object) ? 100 + object.length * 120 : 100 + object.length;
}
