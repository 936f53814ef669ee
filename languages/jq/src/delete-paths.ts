/** Names of objects and places in lists, from the outermost. */
export type FieldPath = readonly (string | number)[];

export function isFieldPath(value: unknown): value is FieldPath {
  return (
    Array.isArray(value) && value.every((step) => typeof step === "string" || Number.isSafeInteger(step))
  );
}

interface Mark {
  isDeleted: boolean;
  below: Map<string | number, Mark>;
}

/**
 * The value without what the paths name. All are found before any is deleted, so that none moves the place of another,
 * as gojq's del does it. What is not there is passed over. Undefined where a path names the whole value.
 */
export function deletePaths(value: unknown, paths: readonly FieldPath[]): unknown {
  const root: Mark = { isDeleted: false, below: new Map() };
  for (const path of paths) {
    let at = root;
    for (const step of path) {
      const next = at.below.get(step) ?? { isDeleted: false, below: new Map() };
      at.below.set(step, next);
      at = next;
    }
    at.isDeleted = true;
  }
  return without(value, root);
}

function without(value: unknown, { isDeleted, below }: Mark): unknown {
  if (isDeleted) return undefined;
  if (below.size === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return value.flatMap((item: unknown, at) => {
      const found = below.get(at);
      if (!found) return [item];
      return found.isDeleted ? [] : [without(item, found)];
    });
  const rest = Object.entries(value).flatMap(([name, item]) => {
    const found = below.get(name);
    if (!found) return [[name, item] as const];
    return found.isDeleted ? [] : [[name, without(item, found)] as const];
  });
  return Object.fromEntries(rest);
}
