import { lstat, opendir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { matchesPath } from "@capstan/formats";
import { compileZglob } from "@capstan/formats/re2";
import { joinWithin } from "../paths.ts";

/**
 * Whether a file below a directory has the name (`spec.discover.fileName`, Go's filepath.Glob): `*`, `?` and
 * classes stay within one directory. `root` cannot be left.
 */
export async function hasFileName(root: string, path: string, pattern: string): Promise<boolean> {
  const whole = joinWithin(path, `./${pattern}`);
  return whole !== undefined && globSegments(root, whole.split("/"));
}

async function globSegments(directory: string, [segment, ...rest]: readonly string[]): Promise<boolean> {
  if (segment === undefined) return true;
  if (!/[*?[\\]/.test(segment)) {
    const path = join(directory, segment);
    if (rest.length > 0) return globSegments(path, rest);
    return (await lstat(path).catch(() => undefined)) !== undefined;
  }
  for (const name of await readdir(directory).catch(() => [])) {
    if (matchesPath(segment, name) && (await globSegments(join(directory, name), rest))) return true;
  }
  return false;
}

/** Whether anything below a directory matches (`spec.discover.find.glob`, mattn/go-zglob): `**` crosses directories. */
export async function hasGlobMatch(root: string, path: string, pattern: string): Promise<boolean> {
  const whole = joinWithin(path, `./${pattern}`);
  if (whole === undefined) return false;
  const segments = whole.split("/");
  const wild = segments.findIndex((segment) => /[*{]/.test(segment));
  if (wild < 0) return (await lstat(join(root, whole)).catch(() => undefined)) !== undefined;
  const start = segments.slice(0, wild).join("/");
  const matches = compileZglob(segments.slice(wild).join("/"));
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const directory = await opendir(join(root, start, next)).catch(() => undefined);
    if (!directory) continue;
    for await (const entry of directory) {
      const below = next === "" ? entry.name : `${next}/${entry.name}`;
      if (matches(below)) return true;
      if (entry.isDirectory()) waiting.push(below);
    }
  }
  return false;
}
