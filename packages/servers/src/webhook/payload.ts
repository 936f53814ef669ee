import { isRecord } from "@capstan/formats";

type Step = string | number;

/** The value at a path, or undefined when any step of it is missing. */
export function valueAt(value: unknown, ...path: readonly Step[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof step === "number") current = Array.isArray(current) ? current[step] : undefined;
    else current = isRecord(current) ? current[step] : undefined;
  }
  return current;
}

export function textAt(value: unknown, ...path: readonly Step[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly Step[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Longer ones are neither an address nor a name that git takes. */
const maxName = 2048;

/** A name of a branch, of a tag, or an address: undefined where it is missing or too long to be one. */
export function nameAt(value: unknown, ...path: readonly Step[]): string | undefined {
  const found = textAt(value, ...path);
  return found !== undefined && found.length <= maxName ? found : undefined;
}

const maxNames = 32;

/** The addresses at several places, without those that are missing. */
export function namesAt(value: unknown, paths: readonly (readonly Step[])[]): string[] {
  return paths
    .slice(0, maxNames)
    .map((path) => nameAt(value, ...path))
    .filter((text) => text !== undefined);
}

const noCommit = /^0+$/;
const maxFiles = 10_000;
const maxFileText = 2 ** 20;

/**
 * Files that a list of commits touched. A push that begins or ends nowhere, whose list is cut short or too long to
 * look through gives undefined: some file may have changed that it does not name.
 */
export function filesOf(
  commits: readonly unknown[],
  {
    before,
    after,
    isComplete,
  }: { before: string | undefined; after: string | undefined; isComplete: boolean },
): string[] | undefined {
  const isOpen = [before, after].some((sha) => sha === undefined || noCommit.test(sha));
  if (isOpen || !isComplete || commits.length === 0) return undefined;
  const files = new Set<string>();
  let length = 0;
  for (const commit of commits) {
    for (const file of ["added", "modified", "removed"].flatMap((list) => listAt(commit, list))) {
      if (typeof file !== "string" || files.has(file)) continue;
      files.add(file);
      length += file.length;
      if (files.size > maxFiles || length > maxFileText) return undefined;
    }
  }
  return [...files];
}

/** refs/heads/feature/x → feature/x: the part after the second slash, as Argo CD cuts it. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/[^/]+\//, "");
}
