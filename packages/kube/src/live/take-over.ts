/** What is deeper stays as it is. */
const deepest = 32;

/**
 * Puts what an object has alike with its version before in the place of its own, which nobody has seen yet: most of it,
 * after most changes. What the object says does not change, nor its order. Returns whether the two are alike.
 */
export function takeOver(object: unknown, before: unknown, depth = 0): boolean {
  if (object === before) return true;
  if (!isComposite(object) || !isComposite(before) || depth === deepest) return false;
  if (!Array.isArray(object)) return !Array.isArray(before) && takeOverFields(object, before, depth + 1);
  return Array.isArray(before) && takeOverItems(object, before, depth + 1);
}

function takeOverItems(items: unknown[], before: readonly unknown[], depth: number): boolean {
  let alike = items.length === before.length;
  for (let at = 0; at < items.length && at < before.length; at += 1)
    if (takeOver(items[at], before[at], depth)) items[at] = before[at];
    else alike = false;
  return alike;
}

function takeOverFields(fields: Fields, before: Readonly<Fields>, depth: number): boolean {
  const names = Object.keys(before);
  let alike = true;
  let at = 0;
  for (const name in fields) {
    if (names[at] !== name) alike = false;
    at += 1;
    if (Object.hasOwn(before, name) && takeOver(fields[name], before[name], depth))
      fields[name] = before[name];
    else alike = false;
  }
  return alike && at === names.length;
}

type Fields = Record<string, unknown>;

function isComposite(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
