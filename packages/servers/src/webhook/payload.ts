import { isRecord } from "@capstan/model";

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

/** The texts at several places, without those that are missing. */
export function textsAt(value: unknown, paths: readonly (readonly Step[])[]): string[] {
  return paths.map((path) => textAt(value, ...path)).filter((text) => text !== undefined);
}

const noCommit = /^0+$/;

/**
 * Files that a list of commits touched. A push that begins or ends nowhere, or whose list is cut short, gives
 * undefined: some file may have changed that it does not name.
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
  for (const commit of commits) {
    for (const list of ["added", "modified", "removed"]) {
      for (const file of listAt(commit, list)) if (typeof file === "string") files.add(file);
    }
  }
  return [...files];
}

/** refs/heads/feature/x → feature/x: the part after the second slash, as Argo CD cuts it. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/[^/]+\//, "");
}
