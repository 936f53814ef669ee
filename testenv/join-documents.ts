import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bin } from "./build-program.ts";
import { type Documents, folderOf, type Group } from "./groups.ts";

/** YAML documents of a Go module that the group's programs were built from, as one file beside them. */
export async function joinDocuments(group: Group, { name, module, paths }: Documents): Promise<void> {
  const cwd = folderOf(group);
  const { stdout, stderr } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", module], {
    cwd,
    encoding: "utf8",
  });
  const folder = stdout.trim();
  if (folder === "") throw new Error(`${name}: the folder of ${module} is not known: ${stderr.trim()}`);
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")));
  await writeFile(join(bin, name), texts.map((text) => `${text.trimEnd()}\n`).join("---\n"));
}
