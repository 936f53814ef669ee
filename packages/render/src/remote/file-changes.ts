import { CapstanError } from "@capstan/model";
import { hasGitFolder, joinWithin, linkBelow, removeBelow, writeBelow } from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import type { FileChange } from "../transfer/overlay-tree.ts";

/** 0o100644, 0o100755 and 0o120000. */
const kinds: Readonly<Record<number, FileChange["kind"]>> = {
  33188: "file",
  33261: "executable",
  40960: "symlink",
};

/** What a preparing plugin changed; a path that leaves the repository is refused, and with `OverlayTree` a link. */
export function readFileChanges(plugin: string, changes: readonly pluginV1.FileChange[]): FileChange[] {
  return changes.map(({ path: given, mode, data, deleted }) => {
    const path = given.startsWith("/") ? undefined : joinWithin("", given);
    if (path === undefined || path === "" || hasGitFolder(path))
      throw new CapstanError({ code: "PATH_OUTSIDE", path: given });
    if (deleted) return { path, kind: "file" };
    const kind = kinds[mode];
    if (!kind) {
      const problem = `it changed ${path} to mode ${mode.toString(8)}, which no file has`;
      throw new CapstanError({ code: "PLUGIN_FAILED", plugin, problem });
    }
    return { path, kind, data: Buffer.from(data) };
  });
}

/** Makes the changes in a copy of the tree; what stands at a path is not followed but replaced. */
export function writeFileChanges(root: string, changes: readonly FileChange[]): void {
  for (const { path, kind, data } of changes) {
    removeBelow(root, path);
    if (!data) continue;
    if (kind === "symlink") linkBelow(root, path, data.toString());
    else writeBelow(root, path, { data, mode: kind === "executable" ? 0o755 : 0o644 });
  }
}
