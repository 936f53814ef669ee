import { StarlarkError } from "../script-error.ts";
import { StarSet } from "./mappings.ts";
import { spend } from "./steps.ts";
import { StarObject, typeOf, type Value } from "./value.ts";

/** How deep values are compared (starlark.CompareLimit). */
const maxDepth = 10;

export type Comparison = "==" | "!=" | "<" | ">" | "<=" | ">=";

export function equal(one: Value, other: Value, depth = maxDepth): boolean {
  spend(1);
  if (typeof one === "string" || one === null || typeof one === "boolean") return one === other;
  if (depth < 1) throw new StarlarkError("comparison exceeded maximum recursion depth");
  if (isNumber(one)) return isNumber(other) && orderNumbers(one, other) === 0;
  if (!(other instanceof StarObject) || one.type !== other.type) return false;
  return one.equals(other, (a, b) => equal(a, b, depth - 1));
}

export function compare(operator: Comparison, one: Value, other: Value): boolean {
  const depth = maxDepth;
  if (operator === "==") return equal(one, other, depth);
  if (operator === "!=") return !equal(one, other, depth);
  if (one instanceof StarSet && other instanceof StarSet) return compareSets(operator, one, other);
  const order = orderOf(one, other, depth);
  if (order === undefined)
    throw new StarlarkError(`${typeOf(one)} ${operator} ${typeOf(other)} not implemented`);
  return holds(operator, order);

  function orderOf(a: Value, b: Value, left: number): number | undefined {
    spend(1);
    if (left < 1) throw new StarlarkError("comparison exceeded maximum recursion depth");
    if (isNumber(a) && isNumber(b)) return orderNumbers(a, b);
    if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
    if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
    const isSame = a instanceof StarObject && b instanceof StarObject && a.type === b.type;
    return isSame ? a.order(b, within(left - 1)) : undefined;
  }

  /** Of parts: those that are equal need no order. */
  function within(left: number): (a: Value, b: Value) => number {
    return (a, b) => {
      if (equal(a, b, left)) return 0;
      const found = orderOf(a, b, left);
      if (found === undefined)
        throw new StarlarkError(`${typeOf(a)} ${operator} ${typeOf(b)} not implemented`);
      return found;
    };
  }
}

function holds(operator: Comparison, order: number): boolean {
  if (operator === "<") return order < 0;
  if (operator === ">") return order > 0;
  return operator === "<=" ? order <= 0 : order >= 0;
}

/** Order of sets is inclusion. */
function compareSets(operator: Comparison, one: StarSet, other: StarSet): boolean {
  const isProper = one.length() !== other.length();
  if (operator === "<=" || operator === "<") return one.isSubsetOf(other) && (operator === "<=" || isProper);
  return other.isSubsetOf(one) && (operator === ">=" || isProper);
}

export const isNumber = (value: Value): value is bigint | number =>
  typeof value === "bigint" || typeof value === "number";

/** Total: NaN equals itself and is above all else. */
function orderNumbers(one: bigint | number, other: bigint | number): number {
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return 0;
  if (Number.isNaN(one)) return 1;
  if (Number.isNaN(other)) return -1;
  return one < other ? -1 : one > other ? 1 : 0;
}
