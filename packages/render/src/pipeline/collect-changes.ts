import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { hasGitFolder, readItselfBelow, type SourceTree } from "@capstan/plugin-kit";
import type { FileChange } from "../transfer/overlay-tree.ts";

/** The state of every file below a directory: a change cannot leave the time of a file's last change as it was. */
export type FileStates = ReadonlyMap<string, string>;

export async function readFileStates(root: string): Promise<FileStates> {
  const states = new Map<string, string>();
  const waiting = [""];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const item of await readdir(join(root, path), { withFileTypes: true })) {
      const below = path === "" ? item.name : `${path}/${item.name}`;
      if (item.isDirectory()) waiting.push(below);
      if (!item.isFile() && !item.isSymbolicLink()) continue;
      const { ctimeNs, size, ino, mode } = await lstat(join(root, below), { bigint: true });
      states.set(below, `${ctimeNs} ${size} ${ino} ${mode}`);
    }
  }
  return states;
}

/** What was written, changed or removed below a directory since `before`. */
export async function collectChanges(
  root: string,
  { before, tree, maxBytes }: { before: FileStates; tree: SourceTree; maxBytes: number },
): Promise<FileChange[]> {
  const after = await readFileStates(root);
  const changes: FileChange[] = [];
  let bytes = 0;
  for (const [path, state] of after) {
    if (before.get(path) === state) continue;
    if (hasGitFolder(path))
      throw new CapstanError({ code: "PATH_OUTSIDE", path, field: "file that the stage made" });
    const changed = readItselfBelow(root, path, { maxBytes });
    if (!changed) continue;
    const { data, kind } = changed;
    const entry = await tree.entry(path);
    if (entry?.kind === kind && data.equals(await tree.read(entry))) continue;
    bytes += data.length;
    if (bytes > maxBytes)
      throw new CapstanError({ code: "OUTPUT_TOO_LARGE", what: "the stage", limitBytes: maxBytes });
    changes.push({ path, kind, data });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push({ path, kind: "file" });
  return changes;
}
