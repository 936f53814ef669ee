import { JsonnetError } from "./jsonnet-error.ts";
import type { Native, Natives } from "./native.ts";
import { checkNumber, compareValues } from "./operators.ts";
import type { Value } from "./values.ts";

const unary = (compute: (x: number) => number): Native => [
  "x",
  (args) => checkNumber(compute(args.number(0))),
];

const binary = (params: string, compute: (a: number, b: number) => number): Native => [
  params,
  (args) => checkNumber(compute(args.number(0), args.number(1))),
];

const predicate = (test: (x: number) => boolean): Native => ["x", (args) => test(args.number(0))];

/** C's frexp: x = mantissa * 2^exponent with 0.5 ≤ |mantissa| < 1. */
function split(x: number): { mantissa: number; exponent: number } {
  if (x === 0) return { mantissa: 0, exponent: 0 };
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let mantissa = x * 2 ** -exponent;
  while (Math.abs(mantissa) < 0.5) {
    mantissa *= 2;
    exponent -= 1;
  }
  while (Math.abs(mantissa) >= 1) {
    mantissa /= 2;
    exponent += 1;
  }
  return { mantissa, exponent };
}

function total(values: readonly Value[]): number {
  return values.reduce<number>((sum, one) => {
    if (typeof one !== "number") throw new JsonnetError("std.sum: all elements must be numbers");
    return sum + one;
  }, 0);
}

const extreme = (sign: 1 | -1): Native => [
  "arr keyF? onEmpty?",
  (args) => {
    const items = args.array(0).values();
    const key = (value: Value): Value => (args.has(1) ? args.function(1).call(value) : value);
    const [first, ...rest] = items;
    if (first === undefined) {
      if (args.has(2)) return args.value(2);
      throw new JsonnetError("expected at least one element in array, got none");
    }
    return rest.reduce<Value>(
      (best, one) => (sign * compareValues(key(one), key(best)) > 0 ? one : best),
      first,
    );
  },
];

export const standardMath: Natives = {
  abs: ["n", (args) => Math.abs(args.number(0))],
  sign: ["n", (args) => Math.sign(args.number(0))],
  max: binary("a b", Math.max),
  min: binary("a b", Math.min),
  pow: binary("x n", (x, n) => x ** n),
  exp: unary(Math.exp),
  log: unary(Math.log),
  log2: unary(Math.log2),
  log10: unary(Math.log10),
  exponent: unary((x) => split(x).exponent),
  mantissa: unary((x) => split(x).mantissa),
  floor: unary(Math.floor),
  ceil: unary(Math.ceil),
  round: unary((x) => Math.sign(x) * Math.round(Math.abs(x))),
  sqrt: unary(Math.sqrt),
  sin: unary(Math.sin),
  cos: unary(Math.cos),
  tan: unary(Math.tan),
  asin: unary(Math.asin),
  acos: unary(Math.acos),
  atan: unary(Math.atan),
  atan2: binary("y x", Math.atan2),
  hypot: binary("a b", Math.hypot),
  deg2rad: unary((x) => (x * Math.PI) / 180),
  rad2deg: unary((x) => (x * 180) / Math.PI),
  modulo: binary("a b", (a, b) => a % b),
  clamp: ["x minVal maxVal", (args) => Math.min(Math.max(args.number(0), args.number(1)), args.number(2))],
  isEven: predicate((x) => Math.trunc(x) % 2 === 0),
  isOdd: predicate((x) => Math.trunc(x) % 2 !== 0),
  isInteger: predicate(Number.isInteger),
  isDecimal: predicate((x) => !Number.isInteger(x)),
  sum: ["arr", (args) => total(args.array(0).values())],
  avg: [
    "arr",
    (args) => {
      const values = args.array(0).values();
      if (values.length === 0) throw new JsonnetError("std.avg: cannot take the average of an empty array");
      return total(values) / values.length;
    },
  ],
  minArray: extreme(-1),
  maxArray: extreme(1),
};
