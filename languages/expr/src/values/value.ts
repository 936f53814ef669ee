import { clockAt, formatGoTime, isRecord, printFloat, printNanoseconds, type Zone } from "@capstan/formats";
import { ExprError } from "../expr-error.ts";

/** An integer of 64 bits is a bigint, a float a number. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | ExprMap
  | ExprTime
  | ExprDuration
  | ExprZone
  | ExprNamed
  | ExprFunction;

/** A map whose keys are texts, or, as groupBy and fromPairs make them, anything. */
export class ExprMap {
  readonly entries: ReadonlyMap<Value, Value>;
  readonly hasAnyKeys: boolean;
  /** What stands for a key that is not there. */
  readonly absent: Value;

  constructor(entries: ReadonlyMap<Value, Value>, hasAnyKeys = false, absent: Value = null) {
    this.entries = entries;
    this.hasAnyKeys = hasAnyKeys;
    this.absent = absent;
  }
}

/** Go's time.Time. */
export class ExprTime {
  /** Since 1970. */
  readonly nanoseconds: bigint;
  readonly zone: Zone;

  constructor(nanoseconds: bigint, zone: Zone) {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }
}

/** Go's time.Duration. */
export class ExprDuration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = BigInt.asIntN(64, nanoseconds);
  }
}

/** A number of a type of its own, as Go's time.Month: it equals no other number. */
export class ExprNamed {
  readonly type: string;
  readonly number: bigint;
  readonly text: string;

  static readonly #all = new Map<string, ExprNamed>();

  private constructor(type: string, number: number, text: string) {
    this.type = type;
    this.number = BigInt(number);
    this.text = text;
  }

  /** Equal ones are one, so that they can be keys of a map; there are as many as months and days of the week. */
  static of(type: "time.Month" | "time.Weekday", number: number, text: string): ExprNamed {
    const made = ExprNamed.#all.get(text) ?? new ExprNamed(type, number, text);
    ExprNamed.#all.set(text, made);
    return made;
  }
}

export class ExprZone {
  readonly zone: Zone;

  constructor(zone: Zone) {
    this.zone = zone;
  }
}

/** What an expression may call by a name of its environment. */
export class ExprFunction {
  readonly call: (values: readonly Value[]) => Value;

  constructor(call: (values: readonly Value[]) => Value) {
    this.call = call;
  }
}

const maxDepth = 200;

/** A value as JSON has it: whole numbers become integers. Functions and values of this package stay as they are. */
export function toValue(given: unknown, depth = 0): Value {
  if (depth > maxDepth) throw new ExprError(`a value is more than ${maxDepth} levels deep`);
  if (given === null || given === undefined) return null;
  if (typeof given === "number")
    return Number.isSafeInteger(given) && !Object.is(given, -0) ? BigInt(given) : given;
  if (typeof given === "boolean" || typeof given === "string" || typeof given === "bigint") return given;
  if (Array.isArray(given)) return given.map((one) => toValue(one, depth + 1));
  for (const Kind of [ExprMap, ExprTime, ExprDuration, ExprZone, ExprFunction])
    if (given instanceof Kind) return given;
  if (given instanceof ExprNamed) return given;
  if (!isRecord(given)) return null;
  return new ExprMap(new Map(Object.entries(given).map(([key, value]) => [key, toValue(value, depth + 1)])));
}

/** Go's list that was never made: it has no elements, and counts as nothing. */
export const nilList: readonly Value[] = Object.freeze([]);

export const isNil = (value: Value): boolean => value === null || value === nilList;

/** What may be a key of a map. */
export const isKey = (value: Value): boolean =>
  typeof value !== "object" || value === null || value instanceof ExprNamed;

export const isNumeric = (value: Value): value is bigint | number =>
  typeof value === "bigint" || typeof value === "number";

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** expr's type(). */
export function typeOf(value: Value): string {
  if (value === null) return "nil";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  if (typeof value === "string") return "string";
  if (isList(value)) return "array";
  if (value instanceof ExprMap) return "map";
  if (value instanceof ExprTime) return "time.Time";
  if (value instanceof ExprDuration) return "time.Duration";
  if (value instanceof ExprNamed) return value.type;
  return value instanceof ExprFunction ? "func" : "unknown";
}

/** Go's %v. */
export function printValue(value: Value): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return printFloat(value, "g");
  if (isList(value)) return `[${value.map(printValue).join(" ")}]`;
  if (value instanceof ExprMap) {
    const sorted = [...value.entries].sort(([left], [right]) => compareKeys(left, right));
    return `map[${sorted.map(([key, one]) => `${printValue(key)}:${printValue(one)}`).join(" ")}]`;
  }
  if (value instanceof ExprTime)
    return formatGoTime(clockAt(value.nanoseconds, value.zone), "2006-01-02 15:04:05.999999999 -0700 MST");
  if (value instanceof ExprDuration) return printNanoseconds(value.nanoseconds);
  if (value instanceof ExprZone) return "zone";
  if (value instanceof ExprNamed) return value.text;
  return value instanceof ExprFunction ? "func" : `${value}`;
}

function compareKeys(left: Value, right: Value): number {
  if (isNumeric(left) && isNumeric(right)) return left < right ? -1 : 1;
  return compareText(`${printValue(left)}`, `${printValue(right)}`);
}

/** By bytes of UTF-8, as Go does. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  if (!/[\ud800-\udfff]/.test(left + right)) return left < right ? -1 : 1;
  const [one, other] = [[...left], [...right]];
  const at = one.findIndex((char, index) => char !== other[index]);
  if (at < 0) return -1;
  return (one[at]?.codePointAt(0) ?? 0) < (other[at]?.codePointAt(0) ?? -1) ? -1 : 1;
}
