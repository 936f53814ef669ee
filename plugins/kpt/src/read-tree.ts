import { expectAgain } from "@capstan/krm-yaml";
import { CapstanError } from "@capstan/model";
import { type RenderContext, relativeTo, walk } from "@capstan/plugin-kit";
import { limits } from "./package-folder.ts";
import { isPackageFile } from "./package-tree.ts";

/** All of a package in a repository that kpt reads. */
export async function readTree({ tree, path }: RenderContext): Promise<Map<string, string>> {
  const entries = (await walk(tree, path)).filter(
    (entry) => (entry.kind === "file" || entry.kind === "executable") && isPackageFile(entry.path),
  );
  const sizes = await Promise.all(entries.slice(0, limits.files + 1).map((entry) => tree.size(entry)));
  let bytes = 0;
  for (const [at, size] of sizes.entries()) {
    bytes += size;
    if (size > limits.fileBytes)
      throw new CapstanError({
        code: "FILE_TOO_LARGE",
        file: entries[at]?.path ?? path,
        bytes: size,
        limitBytes: limits.fileBytes,
      });
    if (bytes > limits.bytes || at >= limits.files)
      throw new CapstanError({ code: "TREE_TOO_LARGE", path, bytes, limitBytes: limits.bytes });
  }
  // At once: one after another each would wait for git.
  const contents = await Promise.all(entries.map((entry) => tree.read(entry)));
  const texts = contents.map(String);
  if (tree.isCommitted) texts.forEach(expectAgain);
  return new Map(entries.map((entry, at) => [relativeTo(path, entry.path), texts[at] ?? ""]));
}
