import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

type Environment = Readonly<Record<string, string | undefined>>;

/** What layOutRepository and the servers of repositories write into a config file: none of it changes a commit. */
const knownSettings =
  /^(\[(core|maintenance|http|receive)\]|(repositoryformatversion|auto) = (0|false)|(filemode|logallrefupdates|receivepack) = true|(bare|autogc) = false|denyCurrentBranch = updateInstead|)$/;
/** What gives files another content or leaves them out, or is another repository. */
const special = new Set([".git", ".gitattributes", ".gitignore", ".gitmodules"]);
/** Of more, git knows which have changed. */
const mostFiles = 500;

/**
 * Commits all of a work tree as `git add --all && git commit --allow-empty` do, and gives the commit's id. Where nothing
 * in it asks for more than files and links, no program is started: three of them are most of what a small test takes.
 */
export function commitFiles(dir: string, message: string, env: Environment): string {
  const own = join(dir, ".git");
  const branch = /^ref: (refs\/heads\/\S+)\n$/.exec(readFileSync(join(own, "HEAD"), "utf8"))?.[1];
  const entries = branch !== undefined && isPlain(own, message) ? readEntries(dir) : undefined;
  if (branch === undefined || entries === undefined) return commitByGit(dir, message, env);
  const objects = new Map<string, Buffer>();
  const blobs = entries.map(({ path, mode, content }) => ({ path, mode, id: add(objects, "blob", content) }));
  const reference = join(own, branch);
  const parent = existsSync(reference) ? `parent ${readFileSync(reference, "utf8")}` : "";
  const [author, committer] = ["AUTHOR", "COMMITTER"].map((role) => personOf(role, env));
  const text = `tree ${addTree(objects, blobs)}\n${parent}author ${author}\ncommitter ${committer}\n\n${message}\n`;
  const commit = add(objects, "commit", Buffer.from(text));
  for (const [id, object] of objects) writeObject(own, id, object);
  replace(join(own, "index"), indexOf(blobs));
  replace(reference, `${commit}\n`);
  return commit;
}

interface Entry {
  readonly path: string;
  readonly mode: string;
}

interface Blob extends Entry {
  readonly id: string;
}

interface FileEntry extends Entry {
  readonly content: Buffer;
}

function isPlain(own: string, message: string): boolean {
  const settings = readFileSync(join(own, "config"), "utf8").split("\n");
  return (
    settings.every((line) => knownSettings.test(line)) &&
    ["packed-refs", "MERGE_HEAD", "info/exclude"].every((name) => !existsSync(join(own, name))) &&
    readdirSync(join(own, "hooks")).length === 0 &&
    // As git leaves it.
    message === message.trim() &&
    message !== "" &&
    !/[ \t]\n|\n\n\n/.test(message)
  );
}

/** All files and links but for git's own, in git's order; undefined where one is special, or there are many. */
function readEntries(dir: string): FileEntry[] | undefined {
  const found: FileEntry[] = [];
  const walk = (folder: string): boolean =>
    readdirSync(join(dir, folder), { withFileTypes: true }).every((one) => {
      if (folder === "" && one.name === ".git") return true;
      if (special.has(one.name) || found.length > mostFiles) return false;
      const path = folder === "" ? one.name : `${folder}/${one.name}`;
      if (one.isDirectory()) return walk(path);
      const entry = readEntry(join(dir, path), path, one);
      if (entry) found.push(entry);
      return entry !== undefined;
    });
  if (!walk("")) return undefined;
  return found.sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
}

function readEntry(file: string, path: string, one: Dirent): FileEntry | undefined {
  if (one.isSymbolicLink())
    return { path, mode: "120000", content: readlinkSync(file, { encoding: "buffer" }) };
  if (!one.isFile()) return undefined;
  const isProgram = (lstatSync(file).mode & 0o100) !== 0;
  return { path, mode: isProgram ? "100755" : "100644", content: readFileSync(file) };
}

function add(objects: Map<string, Buffer>, kind: string, content: Buffer): string {
  const object = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const id = createHash("sha1").update(object).digest("hex");
  objects.set(id, object);
  return id;
}

/** Adds the folder's tree and those below it. In a tree a folder stands where its name with a slash would. */
function addTree(objects: Map<string, Buffer>, blobs: readonly Blob[]): string {
  const byName = Map.groupBy(blobs, ({ path }) => path.replace(/\/.*/s, "/"));
  const entries = [...byName].map(([name, inside]) => {
    const [first] = inside;
    if (first && !name.endsWith("/")) return { name, entry: treeEntry(first.mode, name, first.id) };
    const below = inside.map((blob) => ({ ...blob, path: blob.path.slice(name.length) }));
    return { name, entry: treeEntry("40000", name.slice(0, -1), addTree(objects, below)) };
  });
  entries.sort((left, right) => Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)));
  return add(objects, "tree", Buffer.concat(entries.map(({ entry }) => entry)));
}

function treeEntry(mode: string, name: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
}

/** gitformat-index(5), version 2. Nothing is said of the files' times: git looks at their content when it is asked. */
function indexOf(blobs: readonly Blob[]): Buffer {
  const entries = blobs.map(({ path, mode, id }) => {
    const name = Buffer.from(path);
    const entry = Buffer.alloc((62 + name.length + 8) & ~7);
    entry.writeUInt32BE(Number.parseInt(mode, 8), 24);
    entry.write(id, 40, "hex");
    entry.writeUInt16BE(Math.min(name.length, 0xfff), 60);
    name.copy(entry, 62);
    return entry;
  });
  const header = Buffer.from("DIRC\0\0\0\u0002\0\0\0\0");
  header.writeUInt32BE(blobs.length, 8);
  const index = Buffer.concat([header, ...entries]);
  return Buffer.concat([index, createHash("sha1").update(index).digest()]);
}

function personOf(role: string, env: Environment): string {
  const { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email, [`GIT_${role}_DATE`]: date } = env;
  const at = date === undefined ? Date.now() : Date.parse(date);
  return `${name} <${email}> ${Math.floor(at / 1_000)} +0000`;
}

function writeObject(own: string, id: string, object: Buffer): void {
  const folder = join(own, "objects", id.slice(0, 2));
  const file = join(folder, id.slice(2));
  if (existsSync(file)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, deflateSync(object, { level: 1 }), { mode: 0o444 });
}

/** Whoever reads meanwhile has the one or the other. */
function replace(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.lock`, content);
  renameSync(`${file}.lock`, file);
}

function commitByGit(dir: string, message: string, env: Environment): string {
  const script = 'git add --all && git commit --quiet --allow-empty --message="$1" && git rev-parse HEAD';
  return execFileSync("sh", ["-c", script, "sh", message], { cwd: dir, env, encoding: "utf8" }).trim();
}
