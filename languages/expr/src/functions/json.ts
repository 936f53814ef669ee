import { clockAt, formatGoTime } from "@capstan/formats";
import { ExprError } from "../expr-error.ts";
import { toText } from "../values/operators.ts";
import {
  ExprDuration,
  ExprMap,
  ExprNamed,
  ExprTime,
  isList,
  isNil,
  printValue,
  toValue,
  typeOf,
  type Value,
} from "../values/value.ts";
import { type Definitions, define } from "./definition.ts";

const maxDepth = 200;

export const jsonFunctions: Definitions = {
  toJSON: define(1, ([value = null], { budget }) => {
    const printed = print(value, "");
    budget.make(printed.length);
    return printed;
  }),
  fromJSON: define(1, ([value = null], { budget }) => {
    const given = toText(value);
    budget.make(given.length);
    try {
      return asFloats(toValue(JSON.parse(given)));
    } catch (error) {
      if (error instanceof SyntaxError) throw new ExprError("fromJSON: it is no JSON");
      throw error;
    }
  }),
};

/** Go reads every number of a JSON text as a float. */
function asFloats(value: Value): Value {
  if (typeof value === "bigint") return Number(value);
  if (isList(value)) return value.map(asFloats);
  if (value instanceof ExprMap)
    return new ExprMap(new Map([...value.entries].map(([key, one]) => [key, asFloats(one)])));
  return value;
}

/** json.MarshalIndent: keys in order, and signs of HTML escaped. */
function print(value: Value, indent: string): string {
  if (indent.length > maxDepth * 2) throw new ExprError("toJSON: it is nested too deep");
  if (isNil(value)) return "null";
  if (typeof value === "boolean" || typeof value === "bigint") return `${value}`;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new ExprError(`toJSON: ${printValue(value)} is no number of JSON`);
    return Object.is(value, -0) ? "-0" : `${value}`;
  }
  if (typeof value === "string") return quote(value);
  const inner = `${indent}  `;
  if (isList(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((one) => inner + print(one, inner)).join(",\n")}\n${indent}]`;
  }
  if (value instanceof ExprDuration) return `${value.nanoseconds}`;
  if (value instanceof ExprNamed) return `${value.number}`;
  if (value instanceof ExprTime)
    return quote(formatGoTime(clockAt(value.nanoseconds, value.zone), "2006-01-02T15:04:05.999999999Z07:00"));
  if (!(value instanceof ExprMap) || value.hasAnyKeys)
    throw new ExprError(`toJSON: unsupported type ${typeOf(value)}`);
  if (value.entries.size === 0) return "{}";
  const sorted = [...value.entries].sort(([left], [right]) =>
    Buffer.compare(Buffer.from(toText(left)), Buffer.from(toText(right))),
  );
  const lines = sorted.map(([key, one]) => `${inner}${quote(toText(key))}: ${print(one, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
