import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ServerPlace } from "./plugin-server.ts";

const ending = ".sock";

/**
 * The sidecars of a folder: every socket in it, in the order of file names (Argo CD: util/app/discovery
 * DetectConfigManagementPlugin). Read at each asking, because sidecars come and go.
 */
export async function readSocketFolder(folder: string): Promise<ServerPlace[]> {
  const items = await readdir(folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const names = items.filter((item) => item.isSocket() && item.name.endsWith(ending)).map(({ name }) => name);
  const places = await Promise.all(names.sort().map((name) => readPlace(join(folder, name), name)));
  return places.filter((place) => place !== undefined);
}

async function readPlace(path: string, file: string): Promise<ServerPlace | undefined> {
  try {
    const { ino, ctimeMs } = await stat(path);
    const name = file.slice(0, -ending.length);
    return {
      name,
      address: `unix://${path}`,
      shown: path,
      identity: `${ino} ${ctimeMs}`,
      security: "plaintext",
    };
  } catch (error) {
    if (isAbsent(error)) return undefined; // removed since it was listed
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
