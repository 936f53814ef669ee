export type FloatVerb = "e" | "f" | "g" | "E" | "F" | "G";

/** Go's strconv.FormatFloat as starlark uses it: 6 digits for e and f, the shortest text for g. */
export function formatFloat(value: number, verb: FloatVerb): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "+inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const text = sign + formatPositive(Math.abs(value), verb);
  return verb === "E" || verb === "G" ? text.toUpperCase() : text;
}

function formatPositive(value: number, verb: FloatVerb): string {
  const lower = verb.toLowerCase();
  if (lower === "e") return padExponent(value.toExponential(6));
  if (lower === "f") return fixed(value);
  const exponent = Number(/e([+-]\d+)$/.exec(value.toExponential())?.[1] ?? 0);
  const isLong = value !== 0 && (exponent < -4 || exponent >= 6);
  const text = isLong ? padExponent(value.toExponential()) : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** At least two digits. */
const padExponent = (text: string): string => text.replace(/e([+-])(\d)$/, "e$10$2");

/** JavaScript's toFixed stops at 10^21; all digits of a number that large are a whole number's. */
const fixed = (value: number): string => (value < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`);
