import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "./bare-folder.ts";

/** Says that all which the commits come from was fetched once. */
const mark = "capstan-history";
/** Git's list of the commits before which it has nothing, one in a line (gitrepository-layout(5), shallow). */
const border = "shallow";

/** Whether git knows of a border before which it has nothing. */
export function isShallow(dir: string): Promise<boolean> {
  return exists(join(dir, border));
}

export async function readBorder(dir: string): Promise<string[]> {
  const text = await readFile(join(dir, border), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

/** While nothing else is at work in the copy. What stands there and is not here does no harm. */
export async function writeBorder(dir: string, ids: readonly string[]): Promise<void> {
  const whole = join(dir, border);
  // Under the name of git's own lock: a kill leaves what goes with the other leftovers.
  await writeFile(`${whole}.lock`, ids.map((id) => `${id}\n`).join(""));
  await rename(`${whole}.lock`, whole);
}

export async function keepHistory(dir: string): Promise<void> {
  await writeFile(join(dir, mark), "");
}

/**
 * How many commits back one is fetched that is wanted beside some others. Of a copy with all history (undefined): as far
 * as to what is here, as a depth would cut the history off again. Of another one: with its parents. Where one of them is
 * here, the server looks at what differs between both alone; told to take the new one for the beginning of everything,
 * it looks through all files of either (git's pack-objects, --shallow).
 */
export async function depthBeside(dir: string, commitsHere: number): Promise<number | undefined> {
  if ((await exists(join(dir, mark))) && !(await isShallow(dir))) return undefined;
  return commitsHere > 0 ? withParents : 1;
}

export const withParents = 2;

export function depthWords(depth: number | undefined): readonly string[] {
  return depth === undefined ? [] : [`--depth=${depth}`];
}

/** For a commit of which nothing else is needed. */
export const alone = depthWords(1);
