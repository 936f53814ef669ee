import { statSync } from "node:fs";

/**
 * Of the file or folder itself, whatever its name; nothing where there is none. A file system gives the number of what
 * has gone to what comes next, but not the time at which it was made. Throws where it may not be looked at.
 */
export function fileIdentity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}
