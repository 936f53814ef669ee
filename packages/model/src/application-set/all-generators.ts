import type { ApplicationSet } from "./application-set.ts";
import type { ApplicationSetGenerator, NestedGenerator, TerminalGenerator } from "./generators.ts";

type AnyGenerator = ApplicationSetGenerator | NestedGenerator | TerminalGenerator;

/** A set's generators, each followed by those that are nested in it. */
export function allGenerators({ spec }: ApplicationSet): AnyGenerator[] {
  return withNested(spec.generators);
}

function withNested(generators: readonly AnyGenerator[]): AnyGenerator[] {
  return generators.flatMap((one) => {
    const inMatrix = "matrix" in one ? (one.matrix?.generators ?? []) : [];
    const inMerge = "merge" in one ? (one.merge?.generators ?? []) : [];
    return [one, ...withNested([...inMatrix, ...inMerge])];
  });
}

export function gitGeneratorsOf(set: ApplicationSet): NonNullable<TerminalGenerator["git"]>[] {
  return allGenerators(set).flatMap(({ git }) => (git ? [git] : []));
}
