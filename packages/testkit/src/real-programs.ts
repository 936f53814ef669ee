import { existsSync } from "node:fs";
import { join } from "node:path";

const bin = join(import.meta.dirname, "..", "..", "..", "testenv", "bin");

/** Path of a program that `npm run testenv` built, or why it cannot be had: the reason of a skip. */
export function realProgram(name: string): { path: string } | { absent: string } {
  const path = join(bin, name);
  return existsSync(path) ? { path } : { absent: `${name} is not built: npm run testenv` };
}

/** Path of a program that must be there. */
export function realProgramPath(name: string): string {
  const found = realProgram(name);
  if ("absent" in found) throw new Error(found.absent);
  return found.path;
}

/** The reason to skip a suite that needs these programs, or false when all are there. */
export function lacking(...names: readonly string[]): string | false {
  for (const name of names) {
    const found = realProgram(name);
    if ("absent" in found) return found.absent;
  }
  return false;
}
