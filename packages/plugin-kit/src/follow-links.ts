import { CapstanError } from "@capstan/model";
import { joinWithin, parentOf } from "./paths.ts";
import type { SourceTree, TreeEntry } from "./source-tree.ts";

const maxLinks = 40;

/**
 * The entry at a path with every link on the way followed, as a checkout would; nothing when nothing is there.
 * A link that is absolute or leaves the repository is refused (Argo CD: util/app/path CheckOutOfBoundsSymlinks).
 */
export async function followLinks(tree: SourceTree, path: string): Promise<TreeEntry | undefined> {
  let done = "";
  let rest = path.split("/").filter((part) => part !== "");
  for (let links = 0; ; ) {
    const entry = await tree.entry(done);
    if (!entry) return undefined;
    if (entry.kind === "symlink") {
      if (++links > maxLinks) return undefined;
      const target = await linkTarget(tree, entry);
      rest = [...target.split("/").filter((part) => part !== ""), ...rest];
      done = "";
      continue;
    }
    const next = rest.shift();
    if (next === undefined) return entry;
    if (entry.kind !== "directory") return undefined;
    done = done === "" ? next : `${done}/${next}`;
  }
}

/** Where a link points, from the root of the tree. */
export async function linkTarget(tree: SourceTree, link: TreeEntry): Promise<string> {
  const text = (await tree.read(link)).toString();
  const target = text.startsWith("/") ? undefined : joinWithin(parentOf(link.path), text);
  if (target === undefined)
    throw new CapstanError({ code: "SYMLINK_OUTSIDE", file: link.path, target: text });
  return target;
}
