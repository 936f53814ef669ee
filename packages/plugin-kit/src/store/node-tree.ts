import type { SourceTree, TreeEntry } from "../source-tree.ts";
import type { TreeNode } from "./tree-node.ts";
import { modes } from "./tree-object.ts";

/** What was written to a directory, as a tree in which links can be gone. */
export function nodeTree(root: TreeNode): Pick<SourceTree, "entry" | "read" | "size"> {
  const nodeAt = (path: string): TreeNode | undefined => {
    let node: TreeNode | undefined = root;
    for (const name of path.split("/").filter((part) => part !== "")) node = node?.children?.get(name);
    return node;
  };
  const read = async ({ path }: TreeEntry) => Buffer.from(nodeAt(path)?.target ?? "");
  return {
    entry: async (path) => {
      const node = nodeAt(path);
      return node && entryOf(path, node);
    },
    read,
    size: async (entry) => (await read(entry)).length,
  };
}

export function linksBelow(root: TreeNode): TreeEntry[] {
  const found: TreeEntry[] = [];
  const waiting: { path: string; node: TreeNode }[] = [{ path: "", node: root }];
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const [name, node] of next.node.children ?? []) {
      const path = next.path === "" ? name : `${next.path}/${name}`;
      if (node.target !== undefined) found.push(entryOf(path, node));
      else if (node.children) waiting.push({ path, node });
    }
  return found;
}

function entryOf(path: string, { mode, id, children }: TreeNode): TreeEntry {
  const kind = children ? "directory" : mode === modes.symlink ? "symlink" : "file";
  return { path, name: path.slice(path.lastIndexOf("/") + 1), kind, digest: id };
}
