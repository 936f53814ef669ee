import { StarlarkError } from "../script-error.ts";
import { StarBytes } from "../values/bytes.ts";
import { type Comparison, compare, equal } from "../values/compare.ts";
import { StarDict, StarSet } from "../values/mappings.ts";
import { maxText, repr } from "../values/print-value.ts";
import { StarList, StarTuple } from "../values/sequences.ts";
import { spend } from "../values/steps.ts";
import { elementsOf, isIterable, isTrue, StarObject, typeOf, type Value } from "../values/value.ts";
import { calculate } from "./calculate.ts";
import { interpolate } from "./interpolate.ts";

const comparisons: readonly string[] = ["==", "!=", "<", ">", "<=", ">="];
const isComparison = (operator: string): operator is Comparison => comparisons.includes(operator);
/** Elements that one `*` may make. */
const maxElements = 1 << 24;

/** The value of an operator with two operands, `and` and `or` aside. */
export function binary(operator: string, one: Value, other: Value): Value {
  if (isComparison(operator)) return compare(operator, one, other);
  if (operator === "not in") return !isTrue(binary("in", one, other));
  const result = builtInBinary(operator, one, other) ?? ownBinary(operator, one, other);
  if (result === undefined)
    throw new StarlarkError(`unknown binary op: ${typeOf(one)} ${operator} ${typeOf(other)}`);
  return result;
}

function builtInBinary(operator: string, one: Value, other: Value): Value | undefined {
  const number = calculate(operator, one, other);
  if (number !== undefined) return number;
  switch (operator) {
    case "+":
      return add(one, other);
    case "*":
      return repeat(one, other) ?? repeat(other, one);
    case "%":
      return typeof one === "string" ? interpolate(one, other) : undefined;
    case "in":
      return isIn(one, other);
    case "-":
    case "&":
    case "^":
    case "|":
      return combine(operator, one, other);
    default:
      return undefined;
  }
}

function ownBinary(operator: string, one: Value, other: Value): Value | undefined {
  const own = one instanceof StarObject ? one.binary(operator, other, true) : undefined;
  return own ?? (other instanceof StarObject ? other.binary(operator, one, false) : undefined);
}

function add(one: Value, other: Value): Value | undefined {
  if (typeof one === "string" && typeof other === "string")
    return checkedText(one.length + other.length, () => one + other);
  if (one instanceof StarBytes && other instanceof StarBytes)
    return checkedText(one.data.length + other.data.length, () => new StarBytes(one.data + other.data));
  if (one instanceof StarList && other instanceof StarList)
    return new StarList([...one.items, ...other.items]);
  if (one instanceof StarTuple && other instanceof StarTuple) {
    spend((one.items.length + other.items.length) >> 3);
    return new StarTuple([...one.items, ...other.items]);
  }
  return undefined;
}

export function checkedText<T>(length: number, make: () => T): T {
  spend(length >> 6);
  if (length > maxText) throw new StarlarkError(`a text of ${length} bytes is longer than ${maxText} bytes`);
  return make();
}

function repeat(one: Value, count: Value): Value | undefined {
  if (typeof count !== "bigint") return undefined;
  if (typeof one === "string") return repeatText(one, count);
  if (one instanceof StarBytes) return new StarBytes(repeatText(one.data, count));
  if (one instanceof StarList) return new StarList(repeatItems(one.items, count));
  return one instanceof StarTuple ? new StarTuple(repeatItems(one.items, count)) : undefined;
}

function repeatText(text: string, count: bigint): string {
  return text.repeat(repetitions(text.length, count, maxText));
}

function repeatItems(items: readonly Value[], count: bigint): Value[] {
  const times = repetitions(items.length, count, maxElements);
  spend((items.length * times) >> 3);
  return Array.from({ length: times }, () => items).flat();
}

function repetitions(length: number, count: bigint, limit: number): number {
  if (length === 0 || count < 1n) return 0;
  if (count > 0x7fffffffn) throw new StarlarkError(`repeat count ${count} too large`);
  if (length * Number(count) > limit)
    throw new StarlarkError(`excessive repeat (${length} * ${count} elements)`);
  return Number(count);
}

function isIn(one: Value, other: Value): boolean | undefined {
  if (typeof other === "string") {
    if (typeof one === "string") return other.includes(one);
    throw new StarlarkError(`'in <string>' requires string as left operand, not ${typeOf(one)}`);
  }
  if (other instanceof StarList || other instanceof StarTuple)
    return other.items.some((item) => equal(item, one));
  return other instanceof StarObject ? other.has(one) : undefined;
}

function combine(operator: "-" | "&" | "^" | "|", one: Value, other: Value): Value | undefined {
  if (operator === "|" && one instanceof StarDict && other instanceof StarDict)
    return StarDict.of([...one.entries(), ...other.entries()]);
  if (!(one instanceof StarSet && other instanceof StarSet)) return undefined;
  if (operator === "-") return one.difference(other);
  if (operator === "&") return one.intersection(other);
  return operator === "|" ? one.union(other) : one.difference(other).union(other.difference(one));
}

/** `+=` and `|=` change a list and a dict where they are. */
export function augmented(operator: string, one: Value, other: Value): Value {
  if (operator === "+" && one instanceof StarList && isIterable(other)) {
    one.checkMutable("apply += to");
    extend(one, other);
    return one;
  }
  if (operator === "|" && one instanceof StarDict && other instanceof StarDict) {
    one.checkMutable("apply |= to");
    for (const [key, value] of other.entries()) one.set(key, value);
    return one;
  }
  return binary(operator, one, other);
}

/** Even by itself. */
export function extend(list: StarList, by: Value): void {
  for (const item of [...elementsOf(by)]) list.items.push(item);
}

export function unary(operator: string, operand: Value): Value {
  if (operator === "not") return !isTrue(operand);
  if (typeof operand === "bigint") return operator === "-" ? -operand : operator === "~" ? ~operand : operand;
  if (typeof operand === "number" && operator !== "~") return operator === "-" ? -operand : operand;
  throw new StarlarkError(`unknown unary op: ${operator} ${typeOf(operand)}`);
}

export const missingKey = (key: Value, of: Value): StarlarkError =>
  new StarlarkError(`key ${repr(key)} not in ${typeOf(of)}`);
