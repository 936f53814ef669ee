import { CapstanError } from "@capstan/model";
import { joinWithin, parentOf } from "./paths.ts";
import type { SourceTree, TreeEntry } from "./source-tree.ts";

const maxLinks = 40;

/** The entry at a path with every link on the way followed, as a checkout would; nothing when nothing is there. */
export async function followLinks(tree: SourceTree, path: string): Promise<TreeEntry | undefined> {
  return (await traceLinks(tree, path)).entry;
}

/**
 * The same, with what must be copied for the path to be readable: the links on the way and what they lead to.
 * A link that is absolute or leaves the repository is refused (Argo CD: util/app/path CheckOutOfBoundsSymlinks).
 */
export async function traceLinks(
  tree: SourceTree,
  path: string,
): Promise<{ entry: TreeEntry | undefined; needed: string[] }> {
  const links: string[] = [];
  let done = "";
  let rest = path.split("/").filter((part) => part !== "");
  for (;;) {
    const entry = await tree.entry(done);
    if (entry?.kind === "symlink") {
      if (links.push(done) > maxLinks) return { entry: undefined, needed: links };
      const target = await linkTarget(tree, entry);
      rest = [...target.split("/").filter((part) => part !== ""), ...rest];
      done = "";
      continue;
    }
    const next = rest.shift();
    if (next === undefined) return { entry, needed: [...links, done] };
    done = done === "" ? next : `${done}/${next}`;
    if (entry?.kind !== "directory")
      return { entry: undefined, needed: [...links, [done, ...rest].join("/")] };
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
