import { randomInt } from "node:crypto";
import { type Caller, define, defineRest, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import { readInteger } from "../syntax/read-number.ts";
import { type Operation, operate } from "../values/decimal.ts";
import { printValue } from "../values/print-value.ts";
import { appendedList, GoInt, GoList, GoMap, kindName, type Spend, type Value } from "../values/value.ts";

const int64 = (value: bigint): GoInt => new GoInt(value, "int64");

const once: GoFunctions = {
  atoi: define(["string"], ([text]) => new GoInt(nearestInt64(text))),
  int: define(["any"], ([value]) => new GoInt(toInt64(value))),
  int64: define(["any"], ([value]) => int64(toInt64(value))),
  float64: define(["any"], ([value]) => toFloat(value)),
  toDecimal: define(["any"], ([value], { spend }) => int64(parseInt64(printValue(value, spend), 8) ?? 0n)),
  add1: define(["any"], ([value]) => int64(toInt64(value) + 1n)),
  add: defineRest([], "any", (_none, values) =>
    int64(values.reduce<bigint>((sum, one) => sum + toInt64(one), 0n)),
  ),
  sub: define(["any", "any"], ([left, right]) => int64(toInt64(left) - toInt64(right))),
  mul: defineRest(["any"], "any", ([first], values) =>
    int64(values.reduce<bigint>((product, one) => BigInt.asIntN(64, product * toInt64(one)), toInt64(first))),
  ),
  div: define(["any", "any"], ([left, right]) => int64(divide(left, right, (a, b) => a / b))),
  mod: define(["any", "any"], ([left, right]) => int64(divide(left, right, (a, b) => a % b))),
  max: extreme((one, most) => one > most),
  biggest: extreme((one, most) => one > most),
  min: extreme((one, least) => one < least),
  maxf: defineRest(["any"], "any", ([first], values) => Math.max(toFloat(first), ...values.map(toFloat))),
  minf: defineRest(["any"], "any", ([first], values) => Math.min(toFloat(first), ...values.map(toFloat))),
  add1f: define(["any"], ([value], caller) => calculate("add", [value, 1], caller)),
  addf: defineRest([], "any", (_none, values, caller) => calculate("add", [0, ...values], caller)),
  subf: exactly("subtract"),
  mulf: exactly("multiply"),
  divf: exactly("divide"),
  ceil: define(["any"], ([value]) => Math.ceil(toFloat(value))),
  floor: define(["any"], ([value]) => Math.floor(toFloat(value))),
  round: defineRest(["any", "int"], "float64", ([value, places], [roundOn = 0.5]) => {
    const power = powerOfTen(places);
    const scaled = power * toFloat(value);
    const rest = scaled - Math.trunc(scaled);
    return (rest >= roundOn ? Math.ceil(scaled) : Math.floor(scaled)) / power;
  }),
  randInt: define(["int", "int"], ([least, end]) => {
    if (end <= least) throw new Error("invalid argument to Intn");
    return new GoInt(least + randomInt(Math.min(end - least, 2 ** 47)));
  }),
  until: define(["int"], ([count], { spend }) =>
    numbers(countUp({ from: 0, to: count, step: count < 0 ? -1 : 1 }, spend)),
  ),
  untilStep: define(["int", "int", "int"], ([from, to, step], { spend }) =>
    numbers(countUp({ from, to, step }, spend)),
  ),
  seq: defineRest([], "int", (_none, bounds, { spend }) => {
    if (bounds.length === 0 || bounds.length > 3) return "";
    const [first = 1, second = 1, third = 1] = bounds;
    const from = bounds.length === 1 ? 1 : first;
    const to = bounds.length === 3 ? third : bounds.length === 2 ? second : first;
    const sense = to < from ? -1 : 1;
    const step = bounds.length === 3 ? second : sense;
    if (bounds.length === 3 && sense < 0 && step > 0) return "";
    return countUp({ from, to: to + sense, step }, spend).join(" ");
  }),
};

/** sprig's functions on numbers (Masterminds/sprig numeric.go); texts and booleans count as spf13/cast has them. */
export const numberFunctions: GoFunctions = Object.fromEntries(
  Object.entries(once).map(([name, { run, ...of }]) => [
    name,
    { ...of, run: (args, caller) => run(refuseEndless(args, caller.spend), caller) },
  ]),
);

/** spf13/cast prints what is no number for its message, so that Go's program ends over a map within itself. */
export function refuseEndless(values: readonly Value[], spend: Spend): readonly Value[] {
  const around = new Set<Value>();
  const seen = new Set<Value>();
  for (const one of values) look(one);
  return values;

  function look(value: Value): void {
    if (!(value instanceof GoList || value instanceof GoMap)) return;
    spend(1);
    if (around.has(value)) throw new Error(`a ${kindName(value)} that holds itself is no number`);
    if (seen.has(value)) return;
    seen.add(value);
    around.add(value);
    for (const one of value instanceof GoList ? value.items : value.entries.values()) look(one);
    around.delete(value);
  }
}

const numbers = (items: readonly number[]): GoList =>
  appendedList(
    items.map((one) => new GoInt(one)),
    "int",
  );

/** Go's math.Pow(10, exponent), which multiplies by squares and is off in the last place in its own way. */
function powerOfTen(exponent: number): number {
  let [part, binary] = [1, 0];
  // 10 = 0.625 × 2⁴
  let [square, squareBinary] = [0.625, 4];
  for (let rest = Math.min(Math.abs(exponent), 2_000); rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) {
      part *= square;
      binary += squareBinary;
    }
    square *= square;
    squareBinary *= 2;
    if (square < 0.5) {
      square *= 2;
      squareBinary -= 1;
    }
  }
  // In two steps, since the power of two alone may be out of range where the product is not.
  const scale = exponent < 0 ? -binary : binary;
  const half = Math.trunc(scale / 2);
  return (exponent < 0 ? 1 / part : part) * 2 ** half * 2 ** (scale - half);
}

interface Counting {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function countUp({ from, to, step }: Counting, spend: Spend): number[] {
  if ((to < from && step >= 0) || (to >= from && step <= 0)) return [];
  const length = Math.ceil((to - from) / step);
  spend(length * 8);
  return Array.from({ length }, (_, index) => from + index * step);
}

function extreme(wins: (one: bigint, best: bigint) => boolean): GoFunction {
  return defineRest(["any"], "any", ([first], values) =>
    int64(values.map(toInt64).reduce((best, one) => (wins(one, best) ? one : best), toInt64(first))),
  );
}

function divide(left: Value, right: Value, operate: (a: bigint, b: bigint) => bigint): bigint {
  const divisor = toInt64(right);
  if (divisor === 0n) throw new Error("runtime error: integer divide by zero");
  return operate(toInt64(left), divisor);
}

/** cast.ToInt64: 0 for what is no number. */
export function toInt64(value: Value): bigint {
  if (value instanceof GoInt) return value.value;
  if (typeof value === "number")
    return Number.isFinite(value) && Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n);
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "string" ? (parseInt64(value.replace(/\.0+$/, ""), 0) ?? 0n) : 0n;
}

/** strconv.ParseInt; base 0 takes Go's prefixes and underscores. Nothing for what is none or longer than 64 bits. */
function parseInt64(text: string, base: 0 | 8 | 10): bigint | undefined {
  const value = base === 0 ? readInteger(text) : readDigits(text, base);
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}

/** strconv.ParseInt of decimal digits as sprig takes it, without the problem: the nearest where it is too long. */
export function nearestInt64(text: string): bigint {
  const [, sign = "", digits = "", rest = ""] = /^([+-]?)0*(\d{0,21})(.*)$/s.exec(text) ?? [];
  const size = BigInt(digits === "" ? 0 : digits);
  // Go finds a digit too many before it looks at what follows.
  if (BigInt.asUintN(64, size) === size && (rest !== "" || !/^[+-]?\d+$/.test(text))) return 0n;
  const most = 2n ** 63n;
  if (sign === "-") return size > most ? -most : -size;
  return size >= most ? most - 1n : size;
}

function readDigits(text: string, base: 8 | 10): bigint | undefined {
  const digits = base === 8 ? /^([+-]?)([0-7]{1,30})$/ : /^([+-]?)(\d{1,30})$/;
  const [, sign, size] = digits.exec(text) ?? [];
  if (size === undefined) return undefined;
  return BigInt(base === 8 ? `0o${size}` : size) * (sign === "-" ? -1n : 1n);
}

/** cast.ToFloat64: 0 for what is no number. */
export function toFloat(value: Value): number {
  if (typeof value === "number") return value;
  if (value instanceof GoInt) return Number(value.value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return 0;
  if (/^[+-]?(inf|infinity)$/i.test(value)) return value.startsWith("-") ? -Infinity : Infinity;
  if (/^nan$/i.test(value)) return Number.NaN;
  const isNumber = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value);
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : 0;
}

function exactly(operation: Operation): GoFunction {
  return defineRest(["any"], "any", ([first], values, caller) =>
    calculate(operation, [first, ...values], caller),
  );
}

/** shopspring/decimal's operations: exact where floats are not. */
function calculate(operation: Operation, values: readonly Value[], { spend }: Caller): number {
  // Each number may make the result longer, so that many take the square of their count.
  spend(Math.floor(values.length ** 2 / 8));
  const numbers = values.map(toFloat);
  if (!numbers.every(Number.isFinite)) throw new Error("Cannot create a Decimal from NaN or Inf");
  return operate(operation, numbers);
}
