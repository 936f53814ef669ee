import { lstatSync } from "node:fs";

/** What stands at one name on disk, and how it looked when we wrote it. */
export interface TreeNode {
  /** Empty while something below differs from it. */
  id: string;
  readonly mode: number;
  readonly children?: Map<string, TreeNode>;
  look: string;
  changedAtNs: bigint;
}

/** Kernels before 6.13 stamp changes by the tick: two within one cannot be told apart. */
const tickNs = 20_000_000n;

export function lookAt(path: string): { look: string; changedAtNs: bigint } {
  const { ino, size, mode, uid, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  return { look: `${ino} ${size} ${mode} ${uid} ${mtimeNs} ${ctimeNs}`, changedAtNs: ctimeNs };
}

/** What was written just before the run began could have been written again within the same tick. */
export function isAsWritten(path: string, node: TreeNode, startedNs: bigint): boolean {
  if (node.changedAtNs + tickNs > startedNs) return false;
  try {
    return lookAt(path).look === node.look;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

export function isRealDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
