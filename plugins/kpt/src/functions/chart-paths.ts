import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { joinWithin } from "@capstan/plugin-kit";
import type { ChartTools } from "../function.ts";
import { PackageError } from "../trace-error.ts";

type Roots = Pick<ChartTools, "root" | "mounts">;

/** Where a path begins: in a mounted folder, as in a container, or in the package. */
export function placeOf({ root, mounts = [] }: Roots, path: string): { root: string; path: string } {
  const absolute = path.startsWith("/") ? path : `/${path}`;
  const mount = mounts.find(({ target }) => absolute.startsWith(`${withoutEndSlashes(target)}/`));
  if (!mount) return { root, path };
  return { root: mount.source, path: absolute.slice(withoutEndSlashes(mount.target).length + 1) };
}

/** Where a file or folder of the package is on disk; nothing where there is none. What lies outside is refused. */
export async function findInPackage(roots: Roots, given: string, field: string): Promise<string | undefined> {
  const { root, path } = placeOf(roots, given);
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
