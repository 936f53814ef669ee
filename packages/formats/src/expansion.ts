/** What a document comes to once each alias stands for its own copy, as whoever prints or compares it goes over it. */
const maxValues = 1_000_000;
const maxCharacters = 2 ** 26;
/** Deeper than anybody writes, and less deep than calls can be nested. */
export const maxDepth = 1_000;

interface Size {
  readonly values: number;
  readonly characters: number;
  readonly depth: number;
}

/**
 * What is wrong with a document's size, if anything: in YAML a few lines of aliases of aliases stand for more than fits
 * into any memory, and an alias of what it stands in has no end. Go's reader counts likewise (yaml.v2 decode.go
 * allowedAliasRatio).
 */
export function expansionProblem(value: unknown): string | undefined {
  try {
    sizeOf(value, new Map(), 0);
    return undefined;
  } catch (error) {
    if (error instanceof TooLarge) return error.message;
    throw error;
  }
}

class TooLarge extends Error {}

/** Each shared part is counted once, and as often as it is used. */
function sizeOf(value: unknown, known: Map<object, Size | undefined>, above: number): Size {
  if (typeof value === "string") return { values: 1, characters: value.length, depth: 0 };
  if (typeof value !== "object" || value === null) return { values: 1, characters: 8, depth: 0 };
  if (known.has(value)) {
    const found = known.get(value);
    if (found === undefined) throw new TooLarge("an alias stands for what it is part of");
    return checked(found, above);
  }
  known.set(value, undefined);
  let [values, characters, depth] = [1, 0, 0];
  for (const [name, below] of Object.entries(value)) {
    if (above >= maxDepth) throw new TooLarge(`it is more than ${maxDepth} levels deep`);
    const size = sizeOf(below, known, above + 1);
    values += size.values;
    characters += size.characters + (Array.isArray(value) ? 0 : name.length);
    depth = Math.max(depth, size.depth + 1);
    checked({ values, characters, depth }, above);
  }
  const size = { values, characters, depth };
  known.set(value, size);
  return size;
}

function checked(size: Size, above: number): Size {
  if (size.values > maxValues) throw new TooLarge(`with its aliases it has more than ${maxValues} values`);
  if (size.characters > maxCharacters)
    throw new TooLarge(`with its aliases it has more than ${maxCharacters / 2 ** 20} MiB of text`);
  if (above + size.depth > maxDepth)
    throw new TooLarge(`with its aliases it is more than ${maxDepth} levels deep`);
  return size;
}
