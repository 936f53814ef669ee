import { isRecord } from "./is-record.ts";
import { equalJson } from "./json.ts";

type Fields = { [field: string]: unknown };

/** RFC 7386: a copy of the document with what the patch says. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Fields = isRecord(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (key === "__proto__") continue;
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
}

/** The patch that turns one object into the other (RFC 7386), or undefined when nothing has to change. */
export function makeMergePatch(from: Fields, to: Fields): Fields | undefined {
  const patch: Fields = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[field];
    const after = to[field];
    if (before === after) continue;
    if (after === undefined) {
      patch[field] = null;
    } else if (isRecord(before) && isRecord(after)) {
      const below = makeMergePatch(before, after);
      if (below) patch[field] = below;
    } else if (!equalJson(before, after)) patch[field] = after;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
