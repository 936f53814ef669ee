import { CapstanError } from "@capstan/model";
import { type RenderContext, relativeTo, walk } from "@capstan/plugin-kit";
import { limits } from "./package-folder.ts";
import { isPackageFile } from "./package-tree.ts";

/** All of a package in a repository that kpt reads. */
export async function readTree({ tree, path }: RenderContext): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let bytes = 0;
  for (const entry of await walk(tree, path)) {
    const isFile = entry.kind === "file" || entry.kind === "executable";
    if (!isFile || !isPackageFile(entry.path)) continue;
    const size = await tree.size(entry);
    bytes += size;
    if (size > limits.fileBytes)
      throw new CapstanError({
        code: "FILE_TOO_LARGE",
        file: entry.path,
        bytes: size,
        limitBytes: limits.fileBytes,
      });
    if (bytes > limits.bytes || files.size >= limits.files)
      throw new CapstanError({ code: "TREE_TOO_LARGE", path, bytes, limitBytes: limits.bytes });
    files.set(relativeTo(path, entry.path), (await tree.read(entry)).toString());
  }
  return files;
}
