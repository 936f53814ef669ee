import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { traceLink } from "../follow-links.ts";
import { hasGitFolder } from "../rooted/file-name.ts";
import { linksBelow, nodeTree } from "./node-tree.ts";
import { type FileChange, readChanges } from "./read-changes.ts";
import { findAt, isAsWritten, isDirectoryLook, type Look, lookAt, type TreeNode } from "./tree-node.ts";
import { type DirectoryEntry, isDirectory, modes, type TreeObject } from "./tree-object.ts";

export interface WantedTree {
  readonly id: string;
  readonly format: string;
  /** What is wanted of it, from its root; empty: everything. */
  readonly paths: readonly string[];
}

export interface TreeOptions {
  readonly get: (id: string, format: string) => Promise<TreeObject>;
  readonly preserveFileMode: boolean;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

interface Todo {
  readonly path: string;
  readonly entry: DirectoryEntry;
  readonly into: Map<string, TreeNode>;
}

const filesAtOnce = 256;
const maxPathLength = 4_096;
/** Entries of a root that are moved; those that are files are written anew afterwards. */
const maxMoved = 100;

/**
 * A directory on disk that follows trees: only the difference to the last one is written. What a plugin wrote in it
 * is found afterwards by inode, size and change time, which a program cannot set back, and taken away.
 */
export class KeptTree {
  #root: string;
  readonly #owner: number | undefined;
  #node: TreeNode = { id: "", mode: modes.directory, children: new Map() };
  #entries = 0;
  #bytes = 0;

  constructor(root: string, owner?: number) {
    this.#root = root;
    this.#owner = owner;
    mkdirSync(root, { recursive: true });
    this.#own(root, 0o755);
  }

  get root(): string {
    return this.#root;
  }

  get id(): string {
    return this.#node.id;
  }

  /** Whether the source has something at a path; of what kind. */
  kindAt(path: string): "directory" | "file" | "symlink" | undefined {
    let node: TreeNode | undefined = this.#node;
    for (const name of path.split("/").filter((part) => part !== "")) node = node?.children?.get(name);
    if (node?.children) return "directory";
    return node && (node.mode === modes.symlink ? "symlink" : "file");
  }

  async follow(tree: WantedTree, options: TreeOptions): Promise<void> {
    // As it was written, or as `restore` has found it since.
    if (tree.id !== "" && this.#node.id === tree.id) return;
    this.#entries = 0;
    this.#bytes = 0;
    const files: Todo[] = [];
    const touched = new Set<string>([""]);
    const step = { tree, options, files, touched };
    const children = this.#node.children ?? new Map<string, TreeNode>();
    // Until all is written the directory is of no tree.
    this.#node = { ...this.#node, id: "", children };
    await this.#followDirectory({ path: "", id: tree.id, have: children }, step);
    for (let at = 0; at < files.length; at += filesAtOnce)
      await Promise.all(files.slice(at, at + filesAtOnce).map((file) => this.#write(file, step)));
    await this.#checkLinks();
    this.#node = { ...this.#node, id: tree.id };
    for (const path of touched) this.#look(path);
  }

  /**
   * Into another directory of the same file system, which is empty and of the same owner: nobody works in either.
   * False where it has too many entries for that to be quick; then nothing has happened.
   */
  moveTo(root: string): boolean {
    const children = this.#node.children ?? new Map<string, TreeNode>();
    if (children.size > maxMoved) return false;
    for (const [name, child] of children) {
      renameSync(join(this.#root, name), join(root, name));
      if (child.look) child.look = lookAt(join(root, name));
    }
    this.#root = root;
    if (this.#node.look) this.#node.look = lookAt(root);
    return true;
  }

  /** What a run did to the source's files. */
  changes(startedMs: number, format: string): FileChange[] {
    return readChanges(this.#root, this.#node, { startedMs, format });
  }

  /** Undoes what a run wrote; what changed is written anew for the next one. Gives how many places that were. */
  restore(startedMs: number): number {
    return this.#restoreDirectory({ path: this.#root, node: this.#node, now: findAt(this.#root) }, startedMs);
  }

  async #followDirectory(
    { path, id, have }: { path: string; id: string; have: Map<string, TreeNode> },
    step: Step,
  ): Promise<void> {
    const object = await step.options.get(id, step.tree.format);
    if (!isDirectory(object))
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "tree", problem: `${id} is no directory` });
    const wanted = new Map<string, DirectoryEntry>();
    for (const entry of object) {
      checkName(entry.name);
      if (isWanted(join(path, entry.name), step.tree.paths)) wanted.set(entry.name, entry);
    }
    for (const [name, node] of have) {
      const entry = wanted.get(name);
      if (entry && entry.mode === node.mode && (entry.id === node.id || node.children)) continue;
      rmSync(join(this.#root, path, name), { recursive: true, force: true });
      have.delete(name);
      step.touched.add(path);
    }
    const below: Promise<void>[] = [];
    for (const [name, entry] of wanted) {
      const node = have.get(name);
      if (node && node.id === entry.id) continue;
      step.touched.add(path);
      below.push(this.#followEntry({ path: join(path, name), entry, into: have }, node, step));
    }
    await Promise.all(below);
  }

  async #followEntry(todo: Todo, node: TreeNode | undefined, step: Step): Promise<void> {
    const { path, entry, into } = todo;
    this.#addEntry(path, step.options);
    if (entry.mode !== modes.directory && entry.mode !== modes.submodule) {
      step.files.push(todo);
      return;
    }
    const children = node?.children ?? new Map<string, TreeNode>();
    if (!node) {
      mkdirSync(join(this.#root, path));
      this.#own(join(this.#root, path), 0o755);
    }
    step.touched.add(path);
    // Without an id until it is complete, so that a run cut short leaves nothing that looks done.
    into.set(entry.name, { id: "", mode: entry.mode, children });
    if (entry.mode === modes.directory)
      await this.#followDirectory({ path, id: entry.id, have: children }, step);
    into.set(entry.name, { id: entry.id, mode: entry.mode, children });
  }

  async #write({ path, entry, into }: Todo, { tree, options }: Step): Promise<void> {
    const content = await options.get(entry.id, tree.format);
    if (isDirectory(content))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: path,
        problem: "is a directory, not a file",
      });
    this.#addBytes(content.length, options);
    const file = join(this.#root, path);
    if (entry.mode === modes.symlink) this.#link(path, content.toString());
    else {
      writeFileSync(file, content, { flag: "wx" });
      this.#own(file, options.preserveFileMode && entry.mode === modes.executable ? 0o755 : 0o644);
    }
    const target = entry.mode === modes.symlink ? { target: content.toString() } : {};
    into.set(entry.name, { id: entry.id, mode: entry.mode, look: lookAt(file), ...target });
  }

  #link(path: string, target: string): void {
    if (target === "" || target.includes("\0"))
      throw new CapstanError({ code: "SYMLINK_OUTSIDE", file: path, target });
    symlinkSync(target, join(this.#root, path));
    if (this.#owner !== undefined) lchownSync(join(this.#root, path), this.#owner, this.#owner);
  }

  #addBytes(bytes: number, { maxBytes }: TreeOptions): void {
    this.#bytes += bytes;
    if (this.#bytes > maxBytes)
      throw new CapstanError({ code: "TREE_TOO_LARGE", path: ".", bytes: this.#bytes, limitBytes: maxBytes });
  }

  /** Directories count: in git one can stand in another twice, and so on down. */
  #addEntry(path: string, { maxFiles }: TreeOptions): void {
    this.#entries++;
    if (this.#entries <= maxFiles && path.length <= maxPathLength) return;
    const problem =
      this.#entries > maxFiles
        ? `has more than ${maxFiles} files and directories; exclude some or raise --max-tree-files`
        : `has a path of more than ${maxPathLength} characters`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "the tree", problem });
  }

  /** All of them: one that was there before may go through what has changed. */
  async #checkLinks(): Promise<void> {
    const tree = nodeTree(this.#node);
    for (const link of linksBelow(this.#node)) await traceLink(tree, link);
  }

  #own(path: string, mode: number): void {
    chmodSync(path, mode);
    if (this.#owner !== undefined) lchownSync(path, this.#owner, this.#owner);
  }

  /** Notes how a directory looks once all its entries are there. */
  #look(path: string): void {
    let node: TreeNode | undefined = this.#node;
    for (const name of path.split("/").filter((part) => part !== "")) node = node?.children?.get(name);
    if (node?.children) node.look = lookAt(join(this.#root, path));
  }

  /** One look at each name, since a tree has thousands. */
  #restoreDirectory({ path, node, now }: Standing, startedMs: number): number {
    const children = node.children ?? new Map<string, TreeNode>();
    const isUntouched = isAsWritten(node, now, startedMs);
    let undone = isUntouched ? 0 : this.#removeStrangers(path, children);
    for (const [name, child] of children) {
      const below = `${path}/${name}`;
      const found = findAt(below);
      if (child.children && isDirectoryLook(found)) {
        undone += this.#restoreDirectory({ path: below, node: child, now: found }, startedMs);
        if (child.id === "") node.id = "";
      } else if (child.children || !isAsWritten(child, found, startedMs)) {
        rmSync(below, { recursive: true, force: true });
        children.delete(name);
        undone++;
      }
    }
    if (undone > 0) node.id = "";
    if (undone > 0 || !isUntouched) node.look = lookAt(path);
    return undone;
  }

  #removeStrangers(path: string, children: ReadonlyMap<string, TreeNode>): number {
    chmodSync(path, 0o755);
    const strangers = readdirSync(path).filter((name) => !children.has(name));
    for (const name of strangers) rmSync(join(path, name), { recursive: true, force: true });
    return strangers.length;
  }
}

/** A directory that was written and what stands there now. */
interface Standing {
  readonly path: string;
  readonly node: TreeNode;
  readonly now: Look | undefined;
}

interface Step {
  readonly tree: WantedTree;
  readonly options: TreeOptions;
  readonly files: Todo[];
  readonly touched: Set<string>;
}

function checkName(name: string): void {
  const isOdd = name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0");
  if (isOdd || hasGitFolder(name)) throw new CapstanError({ code: "PATH_OUTSIDE", path: name });
}

/** Whether a path is below one of those wanted, or on the way to one. */
function isWanted(path: string, paths: readonly string[]): boolean {
  if (paths.length === 0) return true;
  return paths.some(
    (wanted) =>
      wanted === "" || path === wanted || path.startsWith(`${wanted}/`) || wanted.startsWith(`${path}/`),
  );
}
