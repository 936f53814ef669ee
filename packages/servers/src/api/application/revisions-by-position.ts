import { CapstanError } from "@capstan/model";

interface Asked {
  readonly revisions?: readonly string[] | undefined;
  /** Of `revisions`, counted from 1. */
  readonly sourcePositions?: readonly number[] | undefined;
}

/**
 * What is asked for each of `count` sources; undefined where the source's own revision holds. Throws INVALID_ARGUMENT
 * for a position without a source (server/application GetManifests, resolveSourceRevisions).
 */
export function revisionsByPosition(
  count: number,
  { revisions, sourcePositions = [] }: Asked,
): (string | undefined)[] {
  const asked: (string | undefined)[] = new Array(count).fill(undefined);
  for (const [index, position] of sourcePositions.entries()) {
    if (position < 1 || position > count)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "sourcePositions",
        problem: `there is no source ${position}; the application has ${count}`,
      });
    asked[position - 1] = revisions?.[index];
  }
  return asked;
}
