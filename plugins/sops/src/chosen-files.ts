import { matchesFiles } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import { type RenderContext, relativeTo, type TreeEntry, walk } from "@capstan/plugin-kit";

export const defaultGlobs = ["**"];

/** The files that the parameter names, encrypted or not. */
export async function chosenFiles(context: RenderContext): Promise<TreeEntry[]> {
  const { tree, path } = context;
  const found: TreeEntry[] = [];
  for (const glob of globsOf(context)) {
    const ups = /^(\.\.\/)*/.exec(glob)?.[0] ?? "";
    const base = upFrom(path, ups.length / 3, glob);
    const below = glob.slice(ups.length);
    for (const entry of await walk(tree, base))
      if (isFile(entry) && matchesFiles(below, relativeTo(base, entry.path))) found.push(entry);
  }
  return found;
}

function isFile({ kind }: TreeEntry): boolean {
  return kind === "file" || kind === "executable";
}

function upFrom(path: string, levels: number, glob: string): string {
  const parts = path === "" ? [] : path.split("/");
  if (levels > parts.length) throw new CapstanError({ code: "PATH_OUTSIDE", path: glob, field: "files" });
  return parts.slice(0, parts.length - levels).join("/");
}

export function globsOf({ source }: RenderContext): readonly string[] {
  const given = source.plugin?.parameters?.find(({ name }) => name === "files");
  if (given?.string) return [given.string];
  return given?.array && given.array.length > 0 ? given.array : defaultGlobs;
}
