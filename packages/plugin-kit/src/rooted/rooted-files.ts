import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CapstanError, isCapstanError } from "@capstan/model";
import { goBelow, type WayOptions } from "./open-way.ts";

/**
 * The one door to files of a repository that are laid out on a disk, and to what commands left among them. Every path
 * is gone as `goBelow` says: nothing outside of the root is read, written, listed or removed, whatever links there are
 * and whoever changes them meanwhile. Paths are relative to the root. What is missing is undefined.
 */

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const defaultMaxBytes = 64 * 2 ** 20;

/** Content of a file; a pipe or a device is refused, not waited for. */
export function readBelow(
  root: string,
  path: string,
  { maxBytes = defaultMaxBytes } = {},
): Buffer | undefined {
  return ifThere(root, path, {
    use: ({ at, path: file }) => readOpened(at, file, maxBytes),
  });
}

/** What stands at a path itself: of a link its target. Nothing for what is neither file nor link. */
export function readItselfBelow(
  root: string,
  path: string,
  { maxBytes = defaultMaxBytes } = {},
): { kind: "file" | "executable" | "symlink"; data: Buffer } | undefined {
  return ifThere(root, path, {
    keepLast: true,
    use: ({ at, path: file }) => {
      const stat = lstatSync(at);
      if (stat.isSymbolicLink()) return { kind: "symlink", data: Buffer.from(readlinkSync(at)) };
      if (!stat.isFile()) return undefined;
      const data = readOpened(at, file, maxBytes);
      return { kind: (stat.mode & 0o100) === 0 ? "file" : "executable", data };
    },
  });
}

/**
 * Writes a file and the directories above it; default mode: that of the file that was there, else 0644. Where a link
 * stands, what it leads to is replaced. It is a new file each time: of what was there a hard link may stand elsewhere.
 */
export function writeBelow(
  root: string,
  path: string,
  content: string | Buffer | { data: Buffer; mode: number },
): void {
  const isBare = typeof content === "string" || Buffer.isBuffer(content);
  const { data, mode } = isBare ? { data: content, mode: undefined } : content;
  below(root, path, {
    make: true,
    use: ({ at, path: file }) => {
      const found = lstatSync(at, { throwIfNoEntry: false });
      if (file === "" || (found && !found.isFile())) throw notA("file", file);
      if (found) rmSync(at);
      const fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        writeFileSync(fd, data);
        fchmodSync(fd, mode ?? (found ? found.mode & 0o777 : 0o644));
      } finally {
        closeSync(fd);
      }
    },
  });
}

/** Makes a link. Where it leads is not looked at: `traceLink` tells that of the whole tree. */
export function linkBelow(root: string, path: string, target: string): void {
  below(root, path, { make: true, keepLast: true, use: ({ at }) => symlinkSync(target, at) });
}

/** Makes a directory and those above it; gives where it really is. */
export function makeBelow(root: string, path: string): string {
  return below(root, path, {
    make: true,
    use: (place) => {
      if (!lstatSync(place.at, { throwIfNoEntry: false })) mkdirSync(place.at);
      return join(root, place.path);
    },
  });
}

export function listBelow(root: string, path: string): Dirent[] | undefined {
  return ifThere(root, path, {
    use: ({ at, path: directory }) => {
      if (!lstatSync(at).isDirectory()) throw notA("directory", directory);
      return readdirSync(at, { withFileTypes: true });
    },
  });
}

/** What is there, and where it really is, for programs that are given the path. */
export function statBelow(
  root: string,
  path: string,
): { kind: "directory" | "file" | "other"; bytes: number; real: string } | undefined {
  return ifThere(root, path, {
    use: ({ at, path: found }) => {
      const stat = lstatSync(at);
      const kind = stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "other";
      return { kind, bytes: stat.size, real: join(root, found) };
    },
  });
}

/** Removes what stands at a path, with all below it; a link itself, not what it leads to. */
export function removeBelow(root: string, path: string): void {
  ifThere(root, path, { keepLast: true, use: ({ at }) => rmSync(at, { recursive: true, force: true }) });
}

function readOpened(at: string, file: string, maxBytes: number): Buffer {
  const fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw notA("file", file);
    if (found.size > maxBytes)
      throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes: found.size, limitBytes: maxBytes });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function ifThere<Value>(
  root: string,
  path: string,
  options: Parameters<typeof below<Value>>[2],
): Value | undefined {
  try {
    return below(root, path, options);
  } catch (error) {
    if (isCapstanError(error) && isMissing(error.cause)) return undefined;
    throw error;
  }
}

function below<Value>(
  root: string,
  path: string,
  options: WayOptions & { use(place: { at: string; path: string }): Value },
): Value {
  try {
    return goBelow(root, path, options);
  } catch (error) {
    if (isCapstanError(error) || !(error instanceof Error) || !("code" in error)) throw error;
    const problem = `it cannot be used: ${problems[String(error.code)] ?? String(error.code)}`;
    throw new CapstanError(
      { code: "FAILED_PRECONDITION", what: path === "" ? "the repository" : path, problem },
      error,
    );
  }
}

const problems: Readonly<Record<string, string>> = {
  ELOOP: "a link was put there while it was used",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "it does not exist",
  ENOTDIR: "it, or what is above it, is no directory",
  EACCES: "permission denied",
};

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function notA(kind: "file" | "directory", path: string): CapstanError {
  return new CapstanError({
    code: "FAILED_PRECONDITION",
    what: path === "" ? "the repository" : path,
    problem: `it is no ${kind}`,
  });
}
