import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { PackageError } from "./trace-error.ts";

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

export interface Lookup {
  err: (text: string) => void;
}

/** The folder that a path names; who gave a link is told (kpt argsutil.ResolveSymlink). */
export async function resolveLink(path: string, { err }: Lookup): Promise<string> {
  const real = await realpath(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    throw new PackageError(`lstat ${path}: no such file or directory`);
  });
  if ((await lstat(path)).isSymbolicLink()) {
    const shown = isAbsolute(path) ? real : relative(await realpath("."), real) || ".";
    err(
      `[WARN] resolved symlink ${JSON.stringify(path)} to ${JSON.stringify(shown)}, please note that the symlinks within the package are ignored\n`,
    );
  }
  return real;
}
