import { compareBytes } from "@capstan/formats";
import {
  GoInt,
  GoList,
  GoMap,
  GoTime,
  GoVersion,
  kindName,
  NilList,
  NilMap,
  type Spend,
  typeName,
  type Value,
} from "../values/value.ts";

type BasicKind = "bool" | "int" | "uint" | "float" | "string";

function basicKind(value: Value): BasicKind | undefined {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "float";
  if (typeof value === "string") return "string";
  if (!(value instanceof GoInt)) return undefined;
  return value.type === "uint8" ? "uint" : "int";
}

/** Go's text/template eq of two. */
export function isEqual(left: Value, right: Value): boolean {
  const [leftKind, rightKind] = [basicKind(left), basicKind(right)];
  if (left instanceof GoInt && right instanceof GoInt) return left.value === right.value;
  if (leftKind !== undefined && leftKind === rightKind) return left === right;
  if (left === undefined || left === null || right === undefined || right === null)
    return isNil(left) && isNil(right);
  if (leftKind !== rightKind || kindName(left) !== kindName(right))
    throw new Error(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  if (isNil(left) || isNil(right)) return isNil(left) && isNil(right);
  if (left instanceof GoTime && right instanceof GoTime) return isSameTime(left, right);
  if (left instanceof GoVersion && right instanceof GoVersion) return left === right;
  throw new Error(`non-comparable type ${typeName(right)}`);
}

/** Also a slice or a map that was never made. */
const isNil = (value: Value): boolean =>
  value === undefined || value === null || value instanceof NilList || value instanceof NilMap;

const isSameTime = (left: GoTime, right: GoTime): boolean =>
  left.nanoseconds === right.nanoseconds && left.location === right.location;

/** Go's text/template lt. */
export function isLess(left: Value, right: Value): boolean {
  const [leftKind, rightKind] = [basicKind(left), basicKind(right)];
  if (leftKind === undefined || rightKind === undefined) throw new Error("invalid type for comparison");
  if (left instanceof GoInt && right instanceof GoInt) return left.value < right.value;
  if (leftKind !== rightKind)
    throw new Error(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  if (typeof left === "number" && typeof right === "number") return left < right;
  if (typeof left === "string" && typeof right === "string") return compareBytes(left, right) < 0;
  throw new Error("invalid type for comparison");
}

/** reflect.DeepEqual: the types must be the same, too. `spend` counts what is compared. */
export const isDeepEqual = (left: Value, right: Value, spend: Spend): boolean =>
  isAlike(left, right, { spend, pairs: new Map() });

interface Comparison {
  readonly spend: Spend;
  /** Those that were begun: maps within themselves are equal where nothing tells them apart. */
  readonly pairs: Map<Value, Set<Value>>;
}

function isAlike(left: Value, right: Value, comparison: Comparison): boolean {
  const { spend, pairs } = comparison;
  const [a, b] = [left ?? null, right ?? null];
  spend(1 + (typeof a === "string" ? a.length >>> 6 : 0));
  if (a === b) return true;
  if (a === null || b === null || typeName(a) !== typeName(b)) return false;
  if (a instanceof GoInt && b instanceof GoInt) return a.value === b.value;
  if (a instanceof GoTime && b instanceof GoTime) return isSameTime(a, b);
  if (a instanceof GoVersion && b instanceof GoVersion) return a.original === b.original;
  const known = pairs.get(a);
  if (known?.has(b)) return true;
  pairs.set(a, (known ?? new Set()).add(b));
  if (a instanceof GoList && b instanceof GoList)
    return (
      a instanceof NilList === b instanceof NilList &&
      a.items.length === b.items.length &&
      a.items.every((one, index) => isAlike(one, b.items[index], comparison))
    );
  if (!(a instanceof GoMap) || !(b instanceof GoMap) || a.entries.size !== b.entries.size) return false;
  if (a instanceof NilMap !== b instanceof NilMap) return false;
  return [...a.entries].every(
    ([key, one]) => b.entries.has(key) && isAlike(one, b.entries.get(key), comparison),
  );
}
