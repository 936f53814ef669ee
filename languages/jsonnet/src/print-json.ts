import { JsonnetError } from "./jsonnet-error.ts";
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Value } from "./values.ts";

export interface JsonStyle {
  /** undefined: on one line, as std.toString prints. */
  indent?: string | undefined;
  newline?: string;
  keyValueSeparator?: string;
  /** Numbers with as few digits as tell them apart, instead of 17. */
  shortNumbers?: boolean;
}

/** As Jsonnet prints numbers: whole ones without exponent, others with 17 digits. */
export function printNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e17) return Object.is(value, -0) ? "-0" : String(value);
  const [mantissa = "", exponent] = value.toPrecision(17).split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return exponent === undefined ? short : `${short}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
}

/** As Go's encoding/json prints a float64. */
export function printShortNumber(value: number): string {
  return Number.isInteger(value) ? printNumber(value) : String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

/** JSON text of a value; functions are an error. */
export function printJson(value: Value, style: JsonStyle = {}, prefix = ""): string {
  if (typeof value === "string") return printString(value);
  if (typeof value === "number") return style.shortNumbers ? printShortNumber(value) : printNumber(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof JsonnetFunction) throw new JsonnetError("couldn't manifest function as JSON");
  const { indent, newline = "\n", keyValueSeparator = ": " } = style;
  const inner = indent === undefined ? "" : prefix + indent;
  let parts: string[];
  let brackets: readonly [string, string] = ["{", "}"];
  if (value instanceof JsonnetArray) {
    brackets = ["[", "]"];
    parts = value.values().map((item) => printJson(item, style, inner));
  } else {
    value.checkAsserts();
    parts = value
      .names(false)
      .map(
        (name) =>
          `${printString(name)}${keyValueSeparator}${printJson(value.get(name) ?? null, style, inner)}`,
      );
  }
  const [open, close] = brackets;
  if (parts.length === 0)
    return indent === undefined ? `${open} ${close}` : `${open}${newline}${newline}${prefix}${close}`;
  if (indent === undefined) return `${open}${parts.join(", ")}${close}`;
  return `${open}${newline}${parts.map((part) => inner + part).join(`,${newline}`)}${newline}${prefix}${close}`;
}

export function printString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Plain JavaScript data: what the program means once everything is computed. */
export function toData(value: Value): unknown {
  if (value instanceof JsonnetFunction) throw new JsonnetError("couldn't manifest function as JSON");
  if (value instanceof JsonnetArray) return value.values().map(toData);
  if (value instanceof JsonnetObject) {
    value.checkAsserts();
    return Object.fromEntries(value.names(false).map((name) => [name, toData(value.get(name) ?? null)]));
  }
  return value;
}

export function fromData(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === "boolean" || typeof data === "number" || typeof data === "string") return data;
  if (typeof data === "bigint") return Number(data);
  if (Array.isArray(data)) return JsonnetArray.of(data.map(fromData));
  return JsonnetObject.of(
    Object.fromEntries(Object.entries(data).map(([name, one]) => [name, fromData(one)])),
  );
}
