import { FAILSAFE_SCHEMA, type Schema, Type } from "js-yaml";

/**
 * Plain scalars as sigs.k8s.io/yaml (go-yaml v2) resolves them, which is what kubectl and Argo CD do: YAML 1.1
 * booleans, octal with or without "o", underscores in numbers, and no dates and no base 60.
 */

const trueWords = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const falseWords = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]);
const nullWords = new Set(["", "~", "null", "Null", "NULL"]);
const infinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const integerPattern = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0o?[0-7]+|0|[1-9][0-9]*)$/;
const floatPattern = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Nearly all numbers in manifests. */
const smallInteger = /^(?:0|[1-9]\d{0,14})$/;

function readInteger(text: string): bigint {
  const negative = text.startsWith("-");
  const digits = text.replace(/^[-+]/, "");
  const octal = /^0o?([0-7]+)$/.exec(digits);
  const size = BigInt(octal?.[1] === undefined ? digits : `0o${octal[1]}`);
  return negative ? -size : size;
}

const smallestInt64 = -(2n ** 63n);
const largestUint64 = 2n ** 64n - 1n;

/** A number, or nothing when the text is a string. */
export function readNumber(text: string): number | bigint | undefined {
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (!isDigit && first !== 0x2b && first !== 0x2d && first !== 0x2e) return undefined;
  if (smallInteger.test(text)) return Number(text);
  const plain = text.includes("_") ? text.replaceAll("_", "") : text;
  if (integerPattern.test(plain)) {
    const exact = readInteger(plain);
    if (exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER))
      return Number(exact);
    return exact >= smallestInt64 && exact <= largestUint64 ? exact : Number(exact);
  }
  if (!floatPattern.test(plain)) return undefined;
  const value = Number.parseFloat(plain);
  if (!Number.isFinite(value)) return undefined;
  return value === 0 ? 0 : value;
}

const tag = (name: string): string => `tag:yaml.org,2002:${name}`;

const nothing = new Type(tag("null"), {
  kind: "scalar",
  resolve: (data: unknown) => data === null || (typeof data === "string" && nullWords.has(data)),
  construct: () => null,
  predicate: (value: unknown) => value === null,
  represent: () => "null",
});

const truth = new Type(tag("bool"), {
  kind: "scalar",
  resolve: (data: unknown) => typeof data === "string" && (trueWords.has(data) || falseWords.has(data)),
  construct: (data: string) => trueWords.has(data),
  predicate: (value: unknown) => typeof value === "boolean",
  represent: (value: object) => String(value),
});

function resolvesAsNumber(data: unknown): boolean {
  return typeof data === "string" && (readNumber(data) !== undefined || infinite.test(data));
}

function constructNumber(data: string): number | bigint {
  const value = readNumber(data);
  if (value === undefined)
    throw new RangeError(`${data} has no place in a manifest: JSON knows no such number`);
  return value;
}

const isNumeric = (value: unknown): boolean => typeof value === "number" || typeof value === "bigint";

const integer = new Type(tag("int"), {
  kind: "scalar",
  resolve: resolvesAsNumber,
  construct: constructNumber,
  predicate: isNumeric,
  represent: (value: object) => String(value),
});

const float = new Type(tag("float"), {
  kind: "scalar",
  resolve: resolvesAsNumber,
  construct: constructNumber,
});

const merge = new Type(tag("merge"), {
  kind: "scalar",
  resolve: (data: unknown) => data === "<<" || data === null,
});

const timestamp = new Type(tag("timestamp"), {
  kind: "scalar",
  resolve: (data: unknown) => typeof data === "string",
  construct: (data: string) => data,
});

/** go-yaml decodes !!binary into a string of the bytes. */
const binary = new Type(tag("binary"), {
  kind: "scalar",
  resolve: (data: unknown) => typeof data === "string" && /^[A-Za-z0-9+/=\s]*$/.test(data),
  construct: (data: string) => new TextDecoder().decode(Uint8Array.fromBase64(data.replace(/\s/g, ""))),
});

export const goSchema: Schema = FAILSAFE_SCHEMA.extend({
  implicit: [nothing, truth, integer, merge],
  explicit: [float, timestamp, binary],
});

const looksLikeDate = new Type(tag("timestamp"), {
  kind: "scalar",
  resolve: (data: unknown) => typeof data === "string" && /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt ])/.test(data),
});

/** Puts text that looks like a date in quotes: other readers of YAML know dates. */
export const dumpSchema: Schema = goSchema.extend({ implicit: [looksLikeDate] });
