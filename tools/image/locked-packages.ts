import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** An entry of package-lock.json. */
export interface LockedPackage {
  /** From the top, as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** As npm checks it: `sha512-…` in base64. */
  readonly integrity?: string;
  readonly license?: string;
}

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What these names lead to, as npm has laid it out at the top: for Linux on a processor as npm calls it. */
export function lockedPackages(names: readonly string[], cpu: "x64" | "arm64"): LockedPackage[] {
  const lock: { packages: Record<string, Entry> } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const found = new Map<string, LockedPackage>();
  const open = names.map((name) => ({ from: "", name, isOptional: false }));
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const path = placeOf(one, lock.packages);
    const entry = path === undefined ? undefined : lock.packages[path];
    if (path === undefined || entry?.version === undefined) {
      if (one.isOptional) continue;
      throw new Error(`package-lock.json has no ${one.name}, which ${one.from || "Capstan"} needs`);
    }
    if (found.has(path) || !isFor(entry, cpu)) continue;
    const { version, integrity, license } = entry;
    const more = { ...(integrity ? { integrity } : {}), ...(license ? { license } : {}) };
    found.set(path, { path, name: one.name, version, ...more });
    for (const name of Object.keys(entry.dependencies ?? {}))
      open.push({ from: path, name, isOptional: false });
    for (const name of Object.keys(entry.optionalDependencies ?? {}))
      open.push({ from: path, name, isOptional: true });
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** As Node finds it: beside who asks, then further up. */
function placeOf(
  { from, name }: { from: string; name: string },
  packages: Record<string, Entry>,
): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = posix.join(folder, "node_modules", name);
    if (packages[path] !== undefined) return path;
    if (folder === "") return undefined;
  }
}

const isFor = ({ os, cpu: processors, libc }: Entry, cpu: string): boolean =>
  (libc === undefined || libc.includes("glibc")) &&
  (os === undefined || os.includes("linux")) &&
  (processors === undefined || processors.includes(cpu));
