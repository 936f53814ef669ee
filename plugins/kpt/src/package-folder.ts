import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/model";
import { readBelow, removeBelow, writeBelow } from "@capstan/plugin-kit";
import { isPackageFile } from "./package-tree.ts";
import type { RenderedFiles } from "./write-resources.ts";

export const limits = { fileBytes: 16 * 2 ** 20, bytes: 256 * 2 ** 20, files: 50_000 };

/** All of a folder that kpt reads; links are not followed. */
export async function readFolder(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const waiting = [""];
  let bytes = 0;
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== ".git") waiting.push(path);
      if (!entry.isFile() || !isPackageFile(path)) continue;
      const content = readBelow(folder, path, { maxBytes: limits.fileBytes });
      if (!content) continue;
      bytes += content.length;
      if (bytes > limits.bytes || files.size >= limits.files)
        throw new CapstanError({ code: "TREE_TOO_LARGE", path: folder, bytes, limitBytes: limits.bytes });
      files.set(path, content.toString());
    }
  }
  return files;
}

/** A file that kpt itself does not read: a chart, values; `name` as an error shows it. */
export async function readLimited(path: string, name: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > limits.fileBytes)
    throw new CapstanError({ code: "FILE_TOO_LARGE", file: name, bytes: size, limitBytes: limits.fileBytes });
  return readFile(path);
}

/** Writes what changed and removes what is no more. */
export async function writeFolder(
  folder: string,
  { written, removed }: RenderedFiles,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [path, content] of written) {
    if (before.get(path) === content) continue;
    writeBelow(folder, path, content);
  }
  for (const path of removed) removeBelow(folder, path);
}
