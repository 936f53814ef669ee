import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CapstanError } from "@capstan/model";
import { joinWithin, parentOf } from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import type { FileChange } from "../pipeline/overlay-tree.ts";

/** 0o100644, 0o100755 and 0o120000. */
const kinds: Readonly<Record<number, FileChange["kind"]>> = {
  33188: "file",
  33261: "executable",
  40960: "symlink",
};

/** What a preparing plugin changed; a path or a link that leaves the repository is refused. */
export function readFileChanges(plugin: string, changes: readonly pluginV1.FileChange[]): FileChange[] {
  return changes.map(({ path: given, mode, data, deleted }) => {
    const path = given.startsWith("/") ? undefined : joinWithin("", given);
    if (path === undefined || path === "") throw new CapstanError({ code: "PATH_OUTSIDE", path: given });
    if (deleted) return { path, kind: "file" };
    const kind = kinds[mode];
    if (!kind) {
      const problem = `it changed ${path} to mode ${mode.toString(8)}, which no file has`;
      throw new CapstanError({ code: "PLUGIN_FAILED", plugin, problem });
    }
    if (kind === "symlink") checkLink(path, Buffer.from(data).toString());
    return { path, kind, data: Buffer.from(data) };
  });
}

function checkLink(file: string, target: string): void {
  if (target.startsWith("/") || joinWithin(parentOf(file), target) === undefined)
    throw new CapstanError({ code: "SYMLINK_OUTSIDE", file, target });
}

/** Makes the changes in a copy of the tree; what stands in the way of a path is not followed but replaced. */
export async function writeFileChanges(root: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path, kind, data } of changes) {
    const file = join(root, path);
    await rm(file, { recursive: true, force: true });
    if (!data) continue;
    await mkdir(dirname(file), { recursive: true });
    if (kind === "symlink") await symlink(data.toString(), file);
    else await writeFile(file, data, { mode: kind === "executable" ? 0o755 : 0o644, flag: "wx" });
  }
}
