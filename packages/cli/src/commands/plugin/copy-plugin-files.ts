import { join } from "node:path";
import {
  isWithin,
  joinWithin,
  linkBelow,
  listBelow,
  parentOf,
  readItselfBelow,
  writeBelow,
} from "@capstan/plugin-kit";
import { ExitError } from "../../command.ts";

const maxFiles = 10_000;
const maxBytes = 256 * 2 ** 20;
/** What belongs to writing a plugin, not to running it. */
const ofAuthor = /^(\..*|node_modules|testdata|.*\.tgz)$/;
/** What is in the bundle, and what says how it came there. */
const ofProgram = /^(.*\.[cm]?[jt]sx?|package(-lock)?\.json|tsconfig.*\.json)$/;

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  /** Stands below `from`, perhaps: what is built goes there, and is no part of it. */
  readonly leaveOut: string;
  /** Programs are in the bundle already. */
  readonly isProgram: boolean;
  /** Names in the built folder that are not the author's. */
  readonly taken: readonly string[];
}

/**
 * Copies what a plugin's folder has for its runs: files and links within it. Refuses links that lead out of the
 * folder, devices and the like, and more than 10,000 files or 256 MiB. Gives the files' paths.
 */
export function copyPluginFiles(options: CopyOptions): string[] {
  const { from, to, leaveOut, isProgram, taken } = options;
  const copied: string[] = [];
  const waiting = [""];
  let left = maxBytes;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const item of listBelow(from, folder) ?? []) {
      const path = folder === "" ? item.name : `${folder}/${item.name}`;
      const isOut = ofAuthor.test(item.name) || (isProgram && ofProgram.test(item.name));
      if (isOut || isWithin(leaveOut, join(from, path))) continue;
      if (taken.includes(path))
        throw new ExitError(
          `${join(from, path)}: what is built has a file of this name; call it otherwise`,
          20,
        );
      if (item.isDirectory()) {
        waiting.push(path);
        continue;
      }
      left -= copyOne(path, { from, to, left });
      copied.push(path);
      if (copied.length > maxFiles)
        throw new ExitError(
          `${from} has more than ${maxFiles} files: a plugin's folder holds what it needs alone`,
          20,
        );
    }
  return copied.sort();
}

function copyOne(path: string, { from, to, left }: { from: string; to: string; left: number }): number {
  const shown = join(from, path);
  const found = readItselfBelow(from, path, { maxBytes: Math.max(left, 0) });
  if (!found) throw new ExitError(`${shown} is neither a file nor a folder; take it away`, 20);
  const { kind, data } = found;
  if (kind === "symlink") {
    const target = data.toString();
    if (!staysWithin(parentOf(path), target))
      throw new ExitError(
        `${shown} is a link to ${target}, out of the folder; put the file itself there`,
        20,
      );
    linkBelow(to, path, target);
  } else writeBelow(to, path, { data, mode: kind === "executable" ? 0o755 : 0o644 });
  return data.length;
}

/** A `..` behind a name would be that of what the name leads to, which another link decides. */
function staysWithin(folder: string, target: string): boolean {
  if (target.startsWith("/") || /[^./][^/]*\/(.*\/)?\.\.(\/|$)/.test(target)) return false;
  return joinWithin(folder, target) !== undefined;
}
