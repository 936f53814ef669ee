import { equalJson, isRecord } from "@capstan/model";

type Fields = { [field: string]: unknown };

/** What turns one object into the other (RFC 7386), or undefined when nothing does. */
export function mergePatch(from: Fields, to: Fields): Fields | undefined {
  const patch: Fields = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[field];
    const after = to[field];
    if (after === undefined) {
      if (before !== undefined) patch[field] = null;
    } else if (isRecord(before) && isRecord(after)) {
      const below = mergePatch(before, after);
      if (below) patch[field] = below;
    } else if (!equalJson(before, after)) {
      patch[field] = after;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
