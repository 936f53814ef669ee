import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface FileBelow {
  readonly path: string;
  readonly content: Buffer;
}

/** All files of a folder in which others work: what goes between being listed and being read was not left there. */
export async function filesBelow(folder: string): Promise<FileBelow[]> {
  const found: FileBelow[] = [];
  for (const entry of await unlessGone(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    const content = entry.isFile() ? await unlessGone(readFile(path), undefined) : undefined;
    if (content) found.push({ path, content });
  }
  return found;
}

async function unlessGone<Value>(read: Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return otherwise;
    throw error;
  }
}
