declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

/**
 * JSON as Go reads it: integers beyond 2^53 stay exact, as bigint. Texts without a run of 16 digits, which is
 * nearly all, take the ordinary parser.
 */
const longNumber = /\d{16}/;

export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, exactIntegers);
}

function exactIntegers(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const { source } = context;
  if (source === undefined || !/^-?\d+$/.test(source)) return value;
  return BigInt(source);
}

/** The inverse of parseJson. The replacer costs time, so it runs only once a bigint is met. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, bigintAsNumber, indent);
  }
}

function bigintAsNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(String(value)) : value;
}

/** JSON with sorted keys: equal values, equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(",")}}`;
}

/** Whether two JSON values say the same; a field that is undefined is absent. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return (
      typeof left !== typeof right && isNumeric(left) && isNumeric(right) && Number(left) === Number(right)
    );
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalJson(item, right[index]));
  }
  if (Array.isArray(right)) return false;
  return equalFields(new Map(Object.entries(left)), new Map(Object.entries(right)));
}

function equalFields(left: Map<string, unknown>, right: Map<string, unknown>): boolean {
  for (const [name, value] of left) if (!equalJson(value, right.get(name))) return false;
  for (const [name, value] of right) if (value !== undefined && !left.has(name)) return false;
  return true;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
