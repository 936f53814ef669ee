import { isRecord } from "@capstan/formats";

/** What is deeper stays as it is. */
const deepest = 32;

/**
 * Puts what an object has alike with its version before in the place of its own, which nobody has seen yet: most of it,
 * after most changes. What the object says does not change, nor its order. Returns whether the two are alike: then the
 * one before can take its place whole, and nothing is put anywhere.
 */
export function takeOver(object: unknown, before: unknown, depth = 0): boolean {
  if (object === before) return true;
  if (depth === deepest) return false;
  if (isRecord(object)) return isRecord(before) && takeOverFields(object, before, depth + 1);
  return Array.isArray(object) && Array.isArray(before) && takeOverItems(object, before, depth + 1);
}

function takeOverItems(items: unknown[], before: readonly unknown[], depth: number): boolean {
  const both = Math.min(items.length, before.length);
  let alike = items.length === before.length;
  for (let at = 0; at < both; at += 1) {
    const isSame = takeOver(items[at], before[at], depth);
    // All before it were.
    if (alike && !isSame) for (let past = 0; past < at; past += 1) items[past] = before[past];
    alike &&= isSame;
    if (!alike && isSame) items[at] = before[at];
  }
  return alike;
}

function takeOverFields(
  fields: Record<string, unknown>,
  before: Readonly<Record<string, unknown>>,
  depth: number,
): boolean {
  const [own, known] = [Object.keys(fields), Object.keys(before)];
  let alike = own.length === known.length;
  for (const [at, name] of own.entries()) {
    const isInPlace = known[at] === name;
    const isSame = (isInPlace || Object.hasOwn(before, name)) && takeOver(fields[name], before[name], depth);
    if (alike && !(isInPlace && isSame)) {
      for (const past of own.slice(0, at)) fields[past] = before[past];
      alike = false;
    }
    if (!alike && isSame) fields[name] = before[name];
  }
  return alike;
}
