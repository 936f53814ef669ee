import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, normalize, resolve } from "node:path";
import { CapstanError, type LocalFolders, withoutUserinfo } from "@capstan/model";

/** Of the kernel: what stands there is another folder for each process that looks. */
const unsteady = ["/proc", "/sys", "/dev"];
const maxAlternates = 20;
const maxFileBytes = 2 ** 20;

/**
 * The folder of this machine that git would open for an address; undefined: it goes over the network. As git decides
 * (connect.c url_is_local_not_ssh): a colon before any slash makes HOST:PATH.
 */
export function folderOf(url: string): string | undefined {
  const text = url.trim();
  const file = /^file:\/\/(.*)$/is.exec(text)?.[1];
  if (file !== undefined) return decoded(file);
  const colon = text.indexOf(":");
  const slash = text.indexOf("/");
  return colon < 0 || (slash >= 0 && slash < colon) ? text : undefined;
}

/** Git decodes a URL once. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/**
 * Refuses a repository on this machine that applications may not use, wherever links, a `.git` file or borrowed
 * objects lead. What goes over the network is not looked at.
 */
export async function requireFolder(url: string, folders: LocalFolders): Promise<void> {
  const folder = folderOf(url);
  if (folder === undefined) return;
  const refused = (reason: string) => {
    const problem = `${withoutUserinfo(url)} ${reason}`;
    return new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem });
  };
  if (!isAbsolute(folder)) throw refused("is no URL of a repository: a folder is written file:///PATH");
  const verdict = await judge(folder, folders);
  if (verdict === "own data") throw refused("is Capstan's own data, which no application gets");
  if (verdict === "other")
    throw refused(
      `is a folder of the machine that Capstan runs on, which applications may not use. Its operator can permit it by --allow-folder ${resolve(folder)} (or CAPSTAN_ALLOW_FOLDERS)`,
    );
}

type Verdict = "permitted" | "own data" | "other";

async function judge(folder: string, folders: LocalFolders): Promise<Verdict> {
  const lexical = judgePath(normalize(folder), folders);
  if (lexical !== "permitted") return lexical;
  const real = await realpath(folder).catch(() => undefined);
  // Of what is not there git says so.
  if (real === undefined) return "permitted";
  for (const path of await placesOf(real)) {
    const verdict = judgePath(path, folders);
    if (verdict !== "permitted") return verdict;
  }
  return "permitted";
}

function judgePath(path: string, { listed, closed, open, isOwnPermitted }: LocalFolders): Verdict {
  const isIn = (all: readonly string[]) => all.some((one) => isBelow(path, one));
  if (unsteady.some((one) => isBelow(path, one))) return "other";
  if (isIn(open)) return "permitted";
  if (isIn(closed)) return "own data";
  return isOwnPermitted || isIn(listed) ? "permitted" : "other";
}

function isBelow(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** Everything of the disk that git reads for a repository, as real paths. */
async function placesOf(folder: string): Promise<string[]> {
  const places = [folder];
  const git = await gitFolder(folder);
  const shared = await readLine(join(git, "commondir"));
  const common = shared === undefined ? git : resolve(git, shared);
  places.push(git, common);
  const pending = [join(common, "objects")];
  for (let count = 0; count < maxAlternates; count += 1) {
    const objects = pending.shift();
    if (objects === undefined) return realPaths([...places, join(common, "refs")]);
    places.push(objects);
    const borrowed = await readSmall(join(objects, "info", "alternates"));
    const lines = borrowed.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    pending.push(...lines.map((line) => resolve(objects, line.replace(/^"|"$/g, ""))));
  }
  // So long a chain is nobody's: what comes after it is not known.
  return ["/proc"];
}

/** `.git` below the folder, what a `.git` file names, or the folder itself. */
async function gitFolder(folder: string): Promise<string> {
  const inner = join(folder, ".git");
  const found = await stat(inner).catch(() => undefined);
  if (!found) return folder;
  if (found.isDirectory()) return inner;
  const named = /^gitdir: (.*)$/m.exec(await readSmall(inner))?.[1];
  return named === undefined ? folder : resolve(folder, named);
}

async function readLine(file: string): Promise<string | undefined> {
  const [line] = (await readSmall(file)).split("\n");
  return line === "" ? undefined : line;
}

async function readSmall(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() && found.size <= maxFileBytes ? readFile(file, "utf8").catch(() => "") : "";
}

function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => normalize(path))));
}
