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
  const pair = { from, to };
  for (const field of Object.keys(from)) takeChange(patch, field, pair);
  for (const field of Object.keys(to)) if (!Object.hasOwn(from, field)) takeChange(patch, field, pair);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function takeChange(patch: Fields, field: string, { from, to }: { from: Fields; to: Fields }): void {
  const before = from[field];
  const after = to[field];
  if (before === after) return;
  if (after === undefined) {
    patch[field] = null;
  } else if (isRecord(before) && isRecord(after)) {
    const below = makeMergePatch(before, after);
    if (below) patch[field] = below;
  } else if (!equalJson(before, after)) patch[field] = after;
}
