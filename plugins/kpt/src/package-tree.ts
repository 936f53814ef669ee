import { byCodePoint } from "@capstan/krm-yaml";
import { readKrmIgnore } from "./krm-ignore.ts";

/** The text of every file of a package that matters to kpt, by path from its root. */
export type PackageFiles = ReadonlyMap<string, string>;

/** The files that hold resources (kio.MatchAll and Kptfile). */
export function isResourceFile(path: string): boolean {
  return /(?:^|\/)Kptfile$|\.(?:ya?ml|json)$/.test(path);
}

/** All that kpt reads. */
export function isPackageFile(path: string): boolean {
  return isResourceFile(path) || /(?:^|\/)\.krmignore$/.test(path);
}

export function join(directory: string, path: string): string {
  return directory === "" ? path : `${directory}/${path}`;
}

/** Directories with a Kptfile below a package that lie in no other, in the order in which kpt renders them. */
export function directSubpackages(files: PackageFiles, pkg: string): string[] {
  const all = packagesBelow(files, pkg);
  const direct = all.filter((one) => !all.some((other) => one.startsWith(`${other}/`)));
  return direct.sort(byCodePoint);
}

function packagesBelow(files: PackageFiles, pkg: string): string[] {
  const prefix = pkg === "" ? "" : `${pkg}/`;
  return [...files.keys()].flatMap((path) => {
    if (!path.startsWith(prefix) || !path.endsWith("/Kptfile")) return [];
    const directory = path.slice(0, -"/Kptfile".length);
    const isHidden = directory.split("/").includes(".git");
    return directory === pkg || isHidden ? [] : [directory];
  });
}

/** Files with resources of a package as kyaml walks them: without those of subpackages unless asked for. */
export function resourceFiles(files: PackageFiles, pkg: string, { withSubpackages = false } = {}): string[] {
  const prefix = pkg === "" ? "" : `${pkg}/`;
  const inner = packagesBelow(files, pkg);
  const skipped = withSubpackages ? [] : inner;
  const ignores = new Map<string, (path: string, isDirectory: boolean) => boolean>();
  for (const root of [pkg, ...(withSubpackages ? inner : [])])
    ignores.set(root, readKrmIgnore(files.get(join(root, ".krmignore")) ?? ""));
  const found = [...files.keys()].filter(
    (path) =>
      path.startsWith(prefix) &&
      isResourceFile(path) &&
      !skipped.some((one) => path.startsWith(`${one}/`)) &&
      !isIgnored(path, ignores),
  );
  return found.sort(inWalkOrder);
}

/** By the rules of the nearest package around each directory on the way. */
function isIgnored(
  path: string,
  ignores: ReadonlyMap<string, (path: string, isDirectory: boolean) => boolean>,
): boolean {
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const part = parts.slice(0, length).join("/");
    const owner = nearest(parts.slice(0, length - 1), ignores);
    if (owner === undefined) continue;
    const relative = owner === "" ? part : part.slice(owner.length + 1);
    if (ignores.get(owner)?.(relative, length < parts.length)) return true;
  }
  return false;
}

function nearest(directory: readonly string[], ignores: ReadonlyMap<string, unknown>): string | undefined {
  for (let length = directory.length; length >= 0; length--) {
    const candidate = directory.slice(0, length).join("/");
    if (ignores.has(candidate)) return candidate;
  }
  return undefined;
}

/** Names in byte order, what is in a directory in the place of its name (filepath.Walk). */
function inWalkOrder(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = byCodePoint(left[at] ?? "", right[at] ?? "");
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
