import { formatString } from "./format-string.ts";
import { JsonnetError } from "./jsonnet-error.ts";
import { printJson } from "./print-json.ts";
import {
  compareStrings,
  JsonnetArray,
  JsonnetFunction,
  JsonnetObject,
  typeOf,
  type Value,
} from "./values.ts";

export function checkNumber(value: number): number {
  if (Number.isNaN(value)) throw new JsonnetError("not a number");
  if (!Number.isFinite(value)) throw new JsonnetError("overflow");
  return value;
}

export function toText(value: Value): string {
  return typeof value === "string" ? value : printJson(value);
}

function mismatch(operator: string, left: Value, right: Value): JsonnetError {
  return new JsonnetError(`operator ${operator} does not work on ${typeOf(left)} and ${typeOf(right)}`);
}

export function isEqual(left: Value, right: Value): boolean {
  if (left instanceof JsonnetArray && right instanceof JsonnetArray) {
    if (left.items.length !== right.items.length) return false;
    return left.items.every((item, at) => isEqual(item.force(), right.items[at]?.force() ?? null));
  }
  if (left instanceof JsonnetObject && right instanceof JsonnetObject) {
    left.checkAsserts();
    right.checkAsserts();
    const names = left.names(false);
    const others = right.names(false);
    if (names.length !== others.length || names.some((name, at) => name !== others[at])) return false;
    return names.every((name) => isEqual(left.get(name) ?? null, right.get(name) ?? null));
  }
  if (left instanceof JsonnetFunction && right instanceof JsonnetFunction)
    throw new JsonnetError("cannot test equality of functions");
  return left === right;
}

/** Negative, zero or positive; numbers, strings and arrays of these are ordered. */
export function compareValues(left: Value, right: Value): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareStrings(left, right);
  if (left instanceof JsonnetArray && right instanceof JsonnetArray) {
    for (let at = 0; at < Math.min(left.items.length, right.items.length); at += 1) {
      const order = compareValues(left.items[at]?.force() ?? null, right.items[at]?.force() ?? null);
      if (order !== 0) return order;
    }
    return left.items.length - right.items.length;
  }
  throw mismatch("<", left, right);
}

function add(left: Value, right: Value): Value {
  if (typeof left === "number" && typeof right === "number") return checkNumber(left + right);
  if (typeof left === "string" || typeof right === "string") return toText(left) + toText(right);
  if (left instanceof JsonnetArray && right instanceof JsonnetArray)
    return new JsonnetArray([...left.items, ...right.items]);
  if (left instanceof JsonnetObject && right instanceof JsonnetObject) return left.plus(right);
  throw mismatch("+", left, right);
}

/** Go's int64 conversion: bits above 32 count. */
function bits(value: number): bigint {
  if (!Number.isSafeInteger(Math.trunc(value)))
    throw new JsonnetError("numeric value outside safe integer range for bitwise operation");
  return BigInt(Math.trunc(value));
}

function shift(left: number, by: number, rightwards: boolean): number {
  if (by < 0) throw new JsonnetError("shift by negative exponent");
  const places = bits(by) % 64n;
  const shifted = BigInt.asIntN(64, rightwards ? bits(left) >> places : bits(left) << places);
  return Number(shifted);
}

function divide(left: number, right: number, whole: boolean): number {
  if (right === 0) throw new JsonnetError("division by zero");
  return checkNumber(whole ? left % right : left / right);
}

const arithmetic: Readonly<Record<string, (left: number, right: number) => number>> = {
  "-": (left, right) => checkNumber(left - right),
  "*": (left, right) => checkNumber(left * right),
  "/": (left, right) => divide(left, right, false),
  "%": (left, right) => divide(left, right, true),
  "&": (left, right) => Number(bits(left) & bits(right)),
  "|": (left, right) => Number(bits(left) | bits(right)),
  "^": (left, right) => Number(bits(left) ^ bits(right)),
  "<<": (left, right) => shift(left, right, false),
  ">>": (left, right) => shift(left, right, true),
};

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** All binary operators but && and ||, which look at their right side only if they must. */
export function applyBinary(operator: string, left: Value, right: Value): Value {
  if (operator === "+") return add(left, right);
  if (operator === "==") return isEqual(left, right);
  if (operator === "!=") return !isEqual(left, right);
  if (operator === "%" && typeof left === "string") return formatString(left, right);
  if (operator === "in") {
    if (typeof left !== "string" || !(right instanceof JsonnetObject)) throw mismatch("in", left, right);
    return right.has(left);
  }
  const compare = comparisons[operator];
  if (compare) return compare(compareValues(left, right));
  const compute = arithmetic[operator];
  if (!compute || typeof left !== "number" || typeof right !== "number")
    throw mismatch(operator, left, right);
  return compute(left, right);
}

export function applyUnary(operator: string, operand: Value): Value {
  if (operator === "!" && typeof operand === "boolean") return !operand;
  if (operator === "-" && typeof operand === "number") return -operand;
  if (operator === "+" && typeof operand === "number") return operand;
  if (operator === "~" && typeof operand === "number") return Number(~bits(operand));
  throw new JsonnetError(`operator ${operator} does not work on ${typeOf(operand)}`);
}
