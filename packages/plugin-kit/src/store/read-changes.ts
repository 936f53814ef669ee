import { lstatSync } from "node:fs";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { listBelow, readItselfBelow } from "../rooted/rooted-files.ts";
import { findAt, isAsWritten, isDirectoryLook, type TreeNode } from "./tree-node.ts";
import { gitId, modes } from "./tree-object.ts";

/** What became of one file. */
export interface FileChange {
  readonly path: string;
  readonly mode: number;
  readonly data: Buffer;
  readonly deleted: boolean;
}

export interface ChangesOptions {
  readonly startedMs: number;
  readonly format: string;
}

const maxBytes = 256 * 2 ** 20;
const empty = Buffer.alloc(0);

/** Files that are other than they were written, new ones and those that are gone. */
export function readChanges(root: string, node: TreeNode, options: ChangesOptions): FileChange[] {
  const changes = [...changesBelow(root, { path: "", node }, options)];
  const bytes = changes.reduce((sum, { data }) => sum + data.length, 0);
  if (bytes > maxBytes)
    throw new CapstanError({ code: "OUTPUT_TOO_LARGE", what: "the changed files", limitBytes: maxBytes });
  return changes;
}

function* changesBelow(
  root: string,
  { path, node }: { path: string; node: TreeNode | undefined },
  options: ChangesOptions,
): Generator<FileChange> {
  const file = join(root, path);
  if (!isDirectoryLook(findAt(file))) {
    if (node?.children) for (const [name] of node.children) yield gone(join(path, name));
    yield* changedFile(root, { path, node: node?.children ? undefined : node }, options);
    return;
  }
  if (node && !node.children) yield gone(path);
  const names = new Set([
    ...(listBelow(root, path) ?? []).map(({ name }) => name),
    ...(node?.children?.keys() ?? []),
  ]);
  for (const name of [...names].sort())
    yield* changesBelow(root, { path: join(path, name), node: node?.children?.get(name) }, options);
}

function* changedFile(
  root: string,
  { path, node }: { path: string; node: TreeNode | undefined },
  { startedMs, format }: ChangesOptions,
): Generator<FileChange> {
  const file = join(root, path);
  if (node && isAsWritten(node, findAt(file), startedMs)) return;
  const state = lstatSync(file, { throwIfNoEntry: false });
  if (!state) {
    if (node) yield gone(path);
    return;
  }
  if (!state.isFile() && !state.isSymbolicLink()) return;
  const found = readItselfBelow(root, path, { maxBytes });
  if (!found) return;
  const { data } = found;
  const mode = { file: 0o100644, executable: modes.executable, symlink: modes.symlink }[found.kind];
  const isSame =
    node && gitId(data, format) === node.id && (node.mode === modes.symlink) === (mode === modes.symlink);
  if (!isSame) yield { path, mode, data, deleted: false };
}

function gone(path: string): FileChange {
  return { path, mode: 0, data: empty, deleted: true };
}
