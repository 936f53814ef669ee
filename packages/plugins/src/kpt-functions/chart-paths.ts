import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { isRecord } from "@capstan/model";
import { joinWithin } from "@capstan/plugin-kit";
import { PackageError } from "../kpt/trace-error.ts";

/** Where a file or folder of the package is on disk; nothing where there is none. What lies outside is refused. */
export async function findInPackage(root: string, path: string, field: string): Promise<string | undefined> {
  const within = path.startsWith("/") ? undefined : joinWithin("", path);
  if (within === undefined) throw outside(field, path);
  const found = await real(join(root, within));
  if (found !== undefined && !(await isBelow(root, found))) throw outside(field, path);
  return found;
}

/** Helm follows links, so none of a chart's may lead out of the package. */
export async function checkLinks(root: string, chart: string): Promise<void> {
  for (const entry of await readdir(chart, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const target = await real(join(entry.parentPath, entry.name));
    if (target !== undefined && !(await isBelow(root, target))) throw outside("chart: the link", entry.name);
  }
}

async function isBelow(root: string, path: string): Promise<boolean> {
  return `${path}${sep}`.startsWith(`${await realpath(root)}${sep}`);
}

async function real(path: string): Promise<string | undefined> {
  return realpath(path).catch((error: unknown) => {
    if (isRecord(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  });
}

function outside(field: string, path: string): PackageError {
  return new PackageError(
    `${field} "${path}" lies outside of the package. Put it into the package and name it by its path from there`,
  );
}
