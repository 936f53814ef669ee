import { isRecord } from "@capstan/formats";

/** What is deeper, or comes after so many fields and items, stays as it is. */
const [deepest, mostParts] = [32, 20_000];

/**
 * Puts what an object has alike with its version before in the place of its own, which nobody has seen yet: most of it,
 * after most changes. What the object says does not change, nor its order. Returns whether the two are alike: then the
 * one before can take its place whole, and nothing is put anywhere.
 */
export function takeOver(object: unknown, before: unknown): boolean {
  return new Comparison().parts(object, before);
}

class Comparison {
  #depth = 0;
  #left = mostParts;

  parts(object: unknown, before: unknown): boolean {
    if (object === before) return true;
    if (typeof object !== "object" || typeof before !== "object") return false;
    if (this.#depth === deepest || this.#left <= 0) return false;
    this.#depth += 1;
    const alike = isRecord(object)
      ? isRecord(before) && this.#fields(object, before)
      : Array.isArray(object) && Array.isArray(before) && this.#items(object, before);
    this.#depth -= 1;
    return alike;
  }

  #items(items: unknown[], before: readonly unknown[]): boolean {
    const both = Math.min(items.length, before.length);
    this.#left -= both;
    let alike = items.length === before.length;
    for (let at = 0; at < both; at += 1) {
      const isSame = this.parts(items[at], before[at]);
      // All before it were.
      if (alike && !isSame) for (let past = 0; past < at; past += 1) items[past] = before[past];
      alike &&= isSame;
      if (!alike && isSame) items[at] = before[at];
    }
    return alike;
  }

  #fields(fields: Record<string, unknown>, before: Readonly<Record<string, unknown>>): boolean {
    const [own, known] = [Object.keys(fields), Object.keys(before)];
    this.#left -= own.length;
    let alike = own.length === known.length;
    for (let at = 0; at < own.length; at += 1) {
      const name = own[at] ?? "";
      const isInPlace = known[at] === name;
      const isSame = (isInPlace || Object.hasOwn(before, name)) && this.parts(fields[name], before[name]);
      if (alike && !(isInPlace && isSame)) {
        for (const past of own.slice(0, at)) fields[past] = before[past];
        alike = false;
      }
      if (!alike && isSame) fields[name] = before[name];
    }
    return alike;
  }
}
