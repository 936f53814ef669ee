import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { joinWithin, parentOf, type SourceTree } from "@capstan/plugin-kit";
import type { FileChange } from "./overlay-tree.ts";

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
    const { data, kind } = await readChanged(root, path);
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

async function readChanged(root: string, path: string): Promise<{ data: Buffer; kind: FileChange["kind"] }> {
  const file = join(root, path);
  const state = await lstat(file);
  if (!state.isSymbolicLink())
    return { data: await readFile(file), kind: (state.mode & 0o100) === 0 ? "file" : "executable" };
  const target = await readlink(file);
  if (target.startsWith("/") || joinWithin(parentOf(path), target) === undefined)
    throw new CapstanError({ code: "SYMLINK_OUTSIDE", file: path, target });
  return { data: Buffer.from(target), kind: "symlink" };
}
