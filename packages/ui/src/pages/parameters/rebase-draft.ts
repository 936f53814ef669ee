import { changedParts, type Draft } from "./draft.ts";

/** Their state with my changes on top: a part that I did not touch is theirs, an entry that I did not touch too. */
export function rebase(mine: Draft, base: Draft, theirs: Draft): Draft {
  const touched = changedParts(base, mine);
  const kept = Object.fromEntries(touched.map((part) => [part, mine[part]]));
  const next: Draft = { ...theirs, ...kept };
  const named = <T extends { name: string }>(entries: (draft: Draft) => readonly T[]): T[] =>
    rebaseNamed(entries(mine), entries(base), entries(theirs));
  return {
    ...next,
    parameters: named(({ parameters }) => parameters),
    helmParameters: named(({ helmParameters }) => helmParameters),
    env: named(({ env }) => env),
    replicas: named(({ replicas }) => replicas),
    commonLabels: named(({ commonLabels }) => commonLabels),
    commonAnnotations: named(({ commonAnnotations }) => commonAnnotations),
    tlas: named(({ tlas }) => tlas),
    extVars: named(({ extVars }) => extVars),
  };
}

function rebaseNamed<T extends { name: string }>(
  mine: readonly T[],
  base: readonly T[],
  theirs: readonly T[],
): T[] {
  const same = (left: T | undefined, right: T | undefined) => JSON.stringify(left) === JSON.stringify(right);
  const find = (all: readonly T[], name: string) => all.find((one) => one.name === name);
  const names = new Set([...mine, ...base, ...theirs].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const own = find(mine, name);
    const chosen = same(own, find(base, name)) ? find(theirs, name) : own;
    return chosen ? [chosen] : [];
  });
}
