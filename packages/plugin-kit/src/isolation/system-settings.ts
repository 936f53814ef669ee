import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

interface Prepared {
  readonly folder: string;
  /** Of what was copied: a file that has changed since is copied anew. */
  readonly state: string;
}

/** Behind it stands the process that made the folder. */
const namePrefix = "capstan-etc-";
/** A younger one may be of a process that has its number in another namespace. */
const leftAfterMs = 3_600_000;

let prepared: Prepared | undefined;
const made = new Set<string>();

interface Entry {
  readonly path: string;
  readonly kind: "folder" | "file" | "link";
  /** Another one when it has changed. */
  readonly state: string;
}

/**
 * A folder that stands for /etc: copies of the files among `settings`, links where they lead to what sandboxes show,
 * and an empty folder where one of them is to be mounted. A mount for each file takes bubblewrap longer than all else
 * that it does. Undefined where none can be made.
 */
export function preparedSettings(
  settings: readonly string[],
): { folder: string; mounted: string[] } | undefined {
  const entries = settings.flatMap((path) => readEntry(path) ?? []);
  const state = entries.map((entry) => `${entry.path} ${entry.kind} ${entry.state}`).join("\n");
  if (prepared?.state !== state || !existsSync(prepared.folder)) {
    const folder = makeFolder(entries);
    prepared = folder === undefined ? undefined : { folder, state };
  }
  const mounted = entries.filter(({ kind }) => kind === "folder").map(({ path }) => path);
  return prepared && { folder: prepared.folder, mounted };
}

/** As /etc/mtab and /etc/localtime are. */
const shownLink = /^(\.\.\/|\/)(proc|usr)\//;

function readEntry(path: string): Entry | undefined {
  const own = lstatSync(path, { throwIfNoEntry: false });
  const target = own?.isSymbolicLink() ? readlinkSync(path) : "";
  if (shownLink.test(target)) return { path, kind: "link", state: target };
  const stats = own && statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { path, kind: "folder", state: "" };
  return stats && { path, kind: "file", state: `${stats.ino} ${stats.size} ${stats.mtimeMs}` };
}

function makeFolder(entries: readonly Entry[]): string | undefined {
  try {
    if (made.size === 0) {
      removeLeft();
      process.once("exit", removeAll);
    }
    const folder = mkdtempSync(join(tmpdir(), `${namePrefix}${process.pid}-`));
    made.add(folder);
    chmodSync(folder, 0o755);
    for (const { path, kind, state } of entries) {
      const copy = join(folder, basename(path));
      if (kind === "folder") mkdirSync(copy, { mode: 0o755 });
      else if (kind === "link") symlinkSync(state, copy);
      else {
        copyFileSync(path, copy);
        chmodSync(copy, 0o644);
      }
    }
    return folder;
  } catch {
    // No room, or a file that may not be read: each is mounted by itself, as far as that goes.
    return undefined;
  }
}

function removeAll(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
}

/** Those of processes that were killed, if they were this user's: others may make folders of that name. */
function removeLeft(): void {
  try {
    for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(namePrefix)))
      if (!isRunning(Number.parseInt(name.slice(namePrefix.length), 10))) removeOld(join(tmpdir(), name));
  } catch {
    // What cannot be listed or removed stays; it keeps no command from running.
  }
}

function removeOld(path: string): void {
  const own = lstatSync(path, { throwIfNoEntry: false });
  if (own && own.uid === process.getuid?.() && Date.now() - own.mtimeMs > leftAfterMs)
    rmSync(path, { recursive: true, force: true });
}

/** What has no number is of an earlier version. */
function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
