import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { BoundedMap } from "@capstan/flow";
import { isWithin } from "../paths.ts";
import { tried } from "./tried.ts";
import { isOfSystem } from "./visible-system.ts";

/** Where programs stand, and what belongs to them beside it: no whole `~/.docker`, which holds logins too. */
const programFolders: ReadonlySet<string> = new Set(["bin", "sbin", "shims", "libexec"]);
const beside = [
  ...["bin", "sbin", "shims", "lib", "lib32", "lib64", "libexec", "share", "include", "etc"],
  ...["Cellar", "Caskroom", "opt", "versions", "installs", "plugins", "store", "toolchains", "jre", "conf"],
];
/** Folders of many things, in which what stands beside a program is not its own. */
const common = [
  ...["/", "/opt", "/home", "/root", "/mnt", "/media", "/srv", "/var", "/var/lib", "/tmp", "/var/tmp"],
  ...["/run", "/etc", "/dev", "/dev/shm", "/proc", "/sys", "/data", "/work", "/workspace", "/app"],
];
const ofPersons = ["", ".local", ".config", ".cache", ".local/share", ".local/lib"];
const ofKernel = ["/proc", "/sys", "/dev"];
const maxHops = 40;
const kept = new BoundedMap<{ stamp: string; found: readonly string[] }>(50);

/**
 * What the programs of a search path need to be seen, beside the system's folders: the path's folders with the
 * installations that they belong to, and where links in them lead, step by step (Homebrew, asdf, /opt).
 * Looked for anew when one of the folders changes.
 */
export function visiblePrograms(searchPath: string): readonly string[] {
  const folders = [...new Set(searchPath.split(delimiter))].filter(isAbsolute);
  const stamp = folders.map(changeTime).join();
  const former = kept.get(searchPath);
  if (former?.stamp === stamp) return former.found;
  const found = withoutInner(
    [...folders.flatMap(installationOf), ...withoutAliases(folders).flatMap(targetsIn)].filter(
      (path) => isOutside(path) && existsSync(path),
    ),
  );
  kept.set(searchPath, { stamp, found });
  return found;
}

/** The same for one program, script or folder that is named by its whole path. */
export function visibleProgram(path: string): readonly string[] {
  if (!isAbsolute(path) || isCommon(path) || ofKernel.some((folder) => isWithin(folder, path))) return [];
  return withoutInner(linksFrom(path).flatMap(placeOf).filter(isOutside));
}

/** Where /bin is a link to /usr/bin, its links lead where those lead: to follow a thousand programs takes a while. */
function withoutAliases(folders: readonly string[]): string[] {
  return folders.filter((folder) => {
    const real = isOutside(folder) ? undefined : realPath(folder);
    return real === undefined || real === folder || !folders.includes(real);
  });
}

function targetsIn(folder: string): string[] {
  const links = entriesOf(folder).filter((entry) => entry.isSymbolicLink());
  return links.flatMap(({ name }) =>
    linksFrom(join(folder, name))
      .slice(1)
      .filter((target) => isOutside(target) && isExecutable(target))
      .flatMap(placeOf),
  );
}

/** A path, what it leads to as a link, and so on; last the real path. */
function linksFrom(path: string): string[] {
  const steps = [path];
  for (let at = path; steps.length < maxHops; ) {
    const target = readLink(at);
    if (target === undefined) break;
    at = resolve(dirname(at), target);
    steps.push(at);
  }
  const real = realPath(path);
  return real === undefined || steps.includes(real) ? steps : [...steps, real];
}

/** The installation that a file is part of, else the file alone. */
function placeOf(file: string): string[] {
  const [package_] = /^\/opt\/[^/]+(?=\/)/.exec(file) ?? [];
  if (package_ !== undefined) return [package_];
  return programFolders.has(basename(dirname(file))) ? [file, ...installationOf(dirname(file))] : [file];
}

function installationOf(folder: string): string[] {
  const parent = dirname(folder);
  if (basename(folder) === ".bin" && basename(parent) === "node_modules") return [parent];
  if (!programFolders.has(basename(folder)) || isCommon(parent)) return isCommon(folder) ? [] : [folder];
  return beside.map((name) => join(parent, name));
}

function isCommon(folder: string): boolean {
  const homes = [homedir(), process.env.HOME ?? ""].filter((home) => isAbsolute(home) && home !== "/");
  return (
    common.includes(folder) ||
    homes.some((home) => isWithin(folder, home) || ofPersons.some((name) => join(home, name) === folder))
  );
}

function isOutside(path: string): boolean {
  return !isOfSystem(path);
}

function withoutInner(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && isWithin(other, path)));
}

function entriesOf(folder: string): Dirent[] {
  return tried(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function changeTime(folder: string): number {
  return tried(() => statSync(folder).mtimeMs) ?? 0;
}

function readLink(path: string): string | undefined {
  const isLink = () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return tried(() => (isLink() ? readlinkSync(path) : undefined));
}

function realPath(path: string): string | undefined {
  return tried(() => realpathSync.native(path));
}

function isExecutable(path: string): boolean {
  return tried(() => (statSync(path).mode & 0o111) !== 0) ?? false;
}
