import { constants, lstatSync, type Stats } from "node:fs";

/** How a name on disk looked when we wrote it. */
export type Look = Readonly<Pick<Stats, "ino" | "size" | "mode" | "uid" | "mtimeMs" | "ctimeMs">>;

/** What stands at one name on disk. */
export interface TreeNode {
  /** Empty while something below differs from it. */
  id: string;
  readonly mode: number;
  readonly children?: Map<string, TreeNode>;
  /** Of a link. */
  readonly target?: string;
  /** Absent until it is written whole. */
  look?: Look;
}

/** Kernels before 6.13 stamp changes by the tick: two within one cannot be told apart. */
const tickMs = 20;
const mayBeMissing = { throwIfNoEntry: false } as const;

export function lookAt(path: string): Look {
  const { ino, size, mode, uid, mtimeMs, ctimeMs } = lstatSync(path);
  return { ino, size, mode, uid, mtimeMs, ctimeMs };
}

/** What is there now, if anything. */
export function findAt(path: string): Look | undefined {
  return lstatSync(path, mayBeMissing);
}

/** What was written just before the run began could have been written again within the same tick. */
export function isAsWritten({ look }: TreeNode, now: Look | undefined, startedMs: number): boolean {
  return (
    look !== undefined &&
    now !== undefined &&
    look.ctimeMs + tickMs <= startedMs &&
    look.ctimeMs === now.ctimeMs &&
    look.ino === now.ino &&
    look.mode === now.mode &&
    look.size === now.size &&
    look.mtimeMs === now.mtimeMs &&
    look.uid === now.uid
  );
}

export function isDirectoryLook(look: Look | undefined): boolean {
  return look !== undefined && (look.mode & constants.S_IFMT) === constants.S_IFDIR;
}
