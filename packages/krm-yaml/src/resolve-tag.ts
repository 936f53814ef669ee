const words = new Map<string, string>();
for (const word of ["", "~", "null", "Null", "NULL"]) words.set(word, "!!null");
for (const word of ["true", "True", "TRUE", "false", "False", "FALSE"]) words.set(word, "!!bool");
for (const word of [".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"])
  words.set(word, "!!float");
for (const word of ["-.inf", "-.Inf", "-.INF"]) words.set(word, "!!float");
words.set("<<", "!!merge");

const integer = /^[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const timestamp =
  /^\d{4}-\d{2}-\d{2}$|^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::\d{2})?))?$/;

/** What a plain scalar means to go-yaml 3 (resolve.go). */
export function resolveTag(value: string): string {
  const word = words.get(value);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(value)) return "!!str";
  if (integer.test(value)) return "!!int";
  if (float.test(value)) return "!!float";
  return timestamp.test(value) ? "!!timestamp" : "!!str";
}

/** The number that an integer's text stands for, whatever its base. */
export function readInteger(text: string): bigint {
  const digits = text.replaceAll("_", "");
  const isNegative = digits.startsWith("-");
  const magnitude = digits.replace(/^[-+]/, "");
  // Go reads a leading zero as octal, as YAML 1.1 did.
  const normal = /^0[0-7]+$/.test(magnitude) ? `0o${magnitude.slice(1)}` : magnitude;
  const value = BigInt(normal);
  return isNegative ? -value : value;
}

export function readFloat(text: string): number {
  const lower = text.toLowerCase();
  if (lower === ".nan") return Number.NaN;
  if (lower.endsWith(".inf"))
    return lower.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}
