import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "./bare-folder.ts";

/** Says that all which the commits come from was fetched once. */
const mark = "capstan-history";

/** Whether git knows of a border before which it has nothing. */
export function isShallow(dir: string): Promise<boolean> {
  return exists(join(dir, "shallow"));
}

export async function keepHistory(dir: string): Promise<void> {
  await writeFile(join(dir, mark), "");
}

/**
 * How far back a commit is fetched that is wanted beside some others. Of a copy with all history: as far as to what is
 * here, as a depth would cut the history off again. Of another one: with its parents. Where one of them is here, the
 * server looks at what differs between both alone; told to take the new one for the beginning of everything, it looks
 * through all files of either (git's pack-objects, --shallow).
 */
export async function depthBeside(dir: string, commitsHere: number): Promise<readonly string[]> {
  if ((await exists(join(dir, mark))) && !(await isShallow(dir))) return [];
  return commitsHere > 0 ? ["--depth=2"] : alone;
}

/** For a commit of which nothing else is needed. */
export const alone = ["--depth=1"];
