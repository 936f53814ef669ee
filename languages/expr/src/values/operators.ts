import { type GoRegexp, GoRegexpError, goRegexp } from "@capstan/formats/re2";
import { ExprError } from "../expr-error.ts";
import type { Budget } from "./budget.ts";
import {
  compareText,
  ExprDuration,
  ExprMap,
  ExprTime,
  isList,
  isNil,
  isNumeric,
  typeOf,
  type Value,
} from "./value.ts";

type Operator = (left: Value, right: Value, budget: Budget) => Value;

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

function wrong(operator: string, left: Value, right: Value): ExprError {
  return new ExprError(`invalid operation: ${typeOf(left)} ${operator} ${typeOf(right)}`);
}

export function toInteger(value: Value): number {
  if (!isNumeric(value)) throw new ExprError(`invalid operation: int(${typeOf(value)})`);
  return Math.trunc(Number(value));
}

export function toFloat(value: Value): number {
  if (!isNumeric(value)) throw new ExprError(`invalid operation: float(${typeOf(value)})`);
  return Number(value);
}

export function toBoolean(value: Value): boolean {
  if (typeof value !== "boolean") throw new ExprError(`${typeOf(value)} is not true or false`);
  return value;
}

export function toText(value: Value): string {
  if (typeof value !== "string") throw new ExprError(`${typeOf(value)} is no string`);
  return value;
}

/** runtime.Equal: numbers by their value, lists by their elements, maps only where all is of one type. */
export function equal(left: Value, right: Value, budget: Budget): boolean {
  budget.step();
  if (isNumeric(left) && isNumeric(right)) return left <= right && left >= right;
  if (isNil(left) && isNil(right)) return true;
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((one, at) => equal(one, right[at] ?? null, budget));
  return same(left, right, budget);
}

/** reflect.DeepEqual. */
function same(left: Value, right: Value, budget: Budget): boolean {
  budget.step();
  if (left === right) return true;
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((one, at) => same(one, right[at] ?? null, budget));
  if (left instanceof ExprMap && right instanceof ExprMap)
    return (
      left.hasAnyKeys === right.hasAnyKeys &&
      left.entries.size === right.entries.size &&
      [...left.entries].every(([key, value]) => {
        const other = right.entries.get(key);
        return other !== undefined && same(value, other, budget);
      })
    );
  const isMoment = left instanceof ExprTime && right instanceof ExprTime;
  const isSpan = left instanceof ExprDuration && right instanceof ExprDuration;
  return (isMoment || isSpan) && left.nanoseconds === right.nanoseconds;
}

/** Below 0, 0 or above it; NaN where nothing compares. */
export function compare(operator: string, left: Value, right: Value): number {
  if (isNumeric(left) && isNumeric(right))
    return left < right ? -1 : left > right ? 1 : left <= right ? 0 : Number.NaN;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  const isMoment = left instanceof ExprTime && right instanceof ExprTime;
  const isSpan = left instanceof ExprDuration && right instanceof ExprDuration;
  if (!isMoment && !isSpan) throw wrong(operator, left, right);
  return left.nanoseconds < right.nanoseconds ? -1 : left.nanoseconds > right.nanoseconds ? 1 : 0;
}

export const add: Operator = (left, right, budget) => {
  if (typeof left === "bigint" && typeof right === "bigint") return wrap(left + right);
  if (isNumeric(left) && isNumeric(right)) return Number(left) + Number(right);
  if (typeof left === "string" && typeof right === "string") {
    budget.make(left.length + right.length);
    return left + right;
  }
  if (left instanceof ExprDuration && right instanceof ExprDuration)
    return new ExprDuration(left.nanoseconds + right.nanoseconds);
  const [time, by] = left instanceof ExprTime ? [left, right] : [right, left];
  if (time instanceof ExprTime && by instanceof ExprDuration)
    return new ExprTime(time.nanoseconds + by.nanoseconds, time.zone);
  throw wrong("+", left, right);
};

const subtract: Operator = (left, right) => {
  if (typeof left === "bigint" && typeof right === "bigint") return wrap(left - right);
  if (isNumeric(left) && isNumeric(right)) return Number(left) - Number(right);
  if (left instanceof ExprTime && right instanceof ExprTime)
    return new ExprDuration(left.nanoseconds - right.nanoseconds);
  if (left instanceof ExprTime && right instanceof ExprDuration)
    return new ExprTime(left.nanoseconds - right.nanoseconds, left.zone);
  if (left instanceof ExprDuration && right instanceof ExprDuration)
    return new ExprDuration(left.nanoseconds - right.nanoseconds);
  throw wrong("-", left, right);
};

const multiply: Operator = (left, right) => {
  if (typeof left === "bigint" && typeof right === "bigint") return wrap(left * right);
  if (isNumeric(left) && isNumeric(right)) return Number(left) * Number(right);
  const [span, by] = left instanceof ExprDuration ? [left, right] : [right, left];
  if (!(span instanceof ExprDuration) || typeof by !== "bigint") throw wrong("*", left, right);
  return new ExprDuration(span.nanoseconds * by);
};

const modulo: Operator = (left, right) => {
  if (typeof left !== "bigint" || typeof right !== "bigint") throw wrong("%", left, right);
  if (right === 0n) throw new ExprError("integer divide by zero");
  return left % right;
};

const range: Operator = (left, right, budget) => {
  const [from, to] = [toInteger(left), toInteger(right)];
  const size = Math.max(0, to - from + 1);
  budget.make(size);
  return Array.from({ length: size }, (_none, at) => BigInt(from + at));
};

const has: Operator = (needle, within, budget) => {
  if (within === null) return false;
  if (isList(within)) return within.some((one) => equal(one, needle, budget));
  if (!(within instanceof ExprMap)) throw new ExprError(`operator "in" not defined on ${typeOf(within)}`);
  return within.entries.has(keyOf(within, needle));
};

/** A map of texts takes nothing else. */
export function keyOf(map: ExprMap, key: Value): Value {
  if (map.hasAnyKeys) return key;
  if (key === null) return "";
  if (typeof key !== "string") throw new ExprError(`a map has no keys of type ${typeOf(key)}`);
  return key;
}

function ofTexts(test: (left: string, right: string) => boolean): Operator {
  return (left, right) => left !== null && right !== null && test(toText(left), toText(right));
}

/** Throws ExprError where it is no regular expression of Go. */
export function readPattern(pattern: string): GoRegexp {
  try {
    return goRegexp(pattern);
  } catch (error) {
    if (error instanceof GoRegexpError) throw new ExprError(error.message);
    throw error;
  }
}

/** All but those whose right side may not be played. */
export const operators: Readonly<Record<string, Operator>> = {
  "==": equal,
  "!=": (left, right, budget) => !equal(left, right, budget),
  "<": (left, right) => compare("<", left, right) < 0,
  ">": (left, right) => compare(">", left, right) > 0,
  "<=": (left, right) => compare("<=", left, right) <= 0,
  ">=": (left, right) => compare(">=", left, right) >= 0,
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": (left, right) => toFloat(left) / toFloat(right),
  "%": modulo,
  "**": (left, right) => toFloat(left) ** toFloat(right),
  "^": (left, right) => toFloat(left) ** toFloat(right),
  "..": range,
  in: has,
  contains: ofTexts((left, right) => left.includes(right)),
  startsWith: ofTexts((left, right) => left.startsWith(right)),
  endsWith: ofTexts((left, right) => left.endsWith(right)),
  matches: ofTexts((text, pattern) => readPattern(pattern).test(text)),
};
