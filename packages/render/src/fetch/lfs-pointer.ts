import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";

/** What stands in git in place of a file that Git LFS keeps. */
export interface LfsPointer {
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly oid: string;
  /** Of the content, in bytes. */
  readonly size: number;
}

/** https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: a pointer is less than 1024 bytes and begins so. */
const firstLine = "version https://git-lfs.github.com/spec/v1\n";
const maxPointerBytes = 1024;

/** The text of a file that is a pointer; nothing of any other, which is not read where its size tells. */
export async function pointerText(tree: SourceTree, entry: TreeEntry): Promise<string | undefined> {
  if (entry.kind !== "file" && entry.kind !== "executable") return undefined;
  const size = await tree.size(entry);
  if (size < firstLine.length || size >= maxPointerBytes) return undefined;
  const text = (await tree.read(entry)).toString("latin1");
  return text.startsWith(firstLine) ? text : undefined;
}

/** Nothing where it has what is not known here, as the extensions that change a content on its way. */
export function readPointer(text: string): LfsPointer | undefined {
  const [, oid, digits] =
    /^oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$/.exec(text.slice(firstLine.length)) ?? [];
  return oid === undefined ? undefined : { oid, size: Number(digits) };
}
