import { equalJson, escapePointerStep, isRecord } from "@capstan/formats";

/** One field that is another one now; undefined where it is not there. Lists are taken whole. */
export interface Change {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** What `after` has otherwise, field by field: no more is written than that. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (!isRecord(before) || !isRecord(after)) return equalJson(before, after) ? [] : [{ path, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    changesBetween(before[name], after[name], [...path, name]),
  );
}

interface Operation {
  readonly op: "test" | "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

/** RFC 6901. */
const pointer = (path: readonly string[]) => path.map((name) => `/${escapePointerStep(name)}`).join("");

/**
 * The changes as RFC 6902 has them, each only while the field is still what it was. `actual` has what people are not
 * shown as well: a map that holds some of it is not written as a whole.
 */
export function patchOf(changes: readonly Change[], actual?: unknown): Operation[] {
  return changes.flatMap(({ path: names, before, after }): Operation[] => {
    if (hidesMore(fieldAt(actual, names), before) && !Array.isArray(after))
      return patchOf(changesBetween(before ?? {}, after ?? {}, names), actual);
    const path = pointer(names);
    if (before === undefined) return [{ op: "add", path, value: after }];
    const test: Operation = { op: "test", path, value: before };
    return [test, after === undefined ? { op: "remove", path } : { op: "replace", path, value: after }];
  });
}

function fieldAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((one: unknown, name) => (isRecord(one) ? one[name] : undefined), value);
}

function hidesMore(actual: unknown, shown: unknown): boolean {
  if (!isRecord(actual) || !(isRecord(shown) || shown === undefined)) return false;
  return Object.keys(actual).some((name) => shown?.[name] === undefined);
}

/** The same changes on top of what somebody else has made of it meanwhile. */
export function withChanges(value: unknown, changes: readonly Change[]): unknown {
  return changes.reduce((changed, { path, after }) => withField(changed, path, after), value);
}

function withField(value: unknown, [name, ...rest]: readonly string[], after: unknown): unknown {
  if (name === undefined) return after;
  const { [name]: below, ...others } = isRecord(value) ? value : {};
  const next = withField(below, rest, after);
  // The order of the fields stays.
  if (next === undefined) return others;
  return { ...(isRecord(value) ? value : {}), [name]: next };
}

/** Changes of both that speak of the same field, or of one within the other. */
export function collisions(mine: readonly Change[], theirs: readonly Change[]): Change[] {
  const isWithin = (inner: readonly string[], outer: readonly string[]) =>
    outer.every((name, index) => inner[index] === name);
  return mine.filter((change) =>
    theirs.some(({ path }) => isWithin(change.path, path) || isWithin(path, change.path)),
  );
}
