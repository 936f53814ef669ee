import { type Arguments, native } from "../builtins/arguments.ts";
import { truncate } from "../operators/truncate.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { isNumber } from "../values/compare.ts";
import { typeOf, type Value } from "../values/value.ts";
import { gamma } from "./gamma.ts";

const unary: Readonly<Record<string, (x: number) => number>> = {
  fabs: Math.abs,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  exp: Math.exp,
  sqrt: Math.sqrt,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  cos: Math.cos,
  sin: Math.sin,
  tan: Math.tan,
  degrees: (x) => (360 * x) / (2 * Math.PI),
  radians: (x) => (2 * Math.PI * x) / 360,
  acosh: Math.acosh,
  asinh: Math.asinh,
  atanh: Math.atanh,
  cosh: Math.cosh,
  sinh: Math.sinh,
  tanh: Math.tanh,
  gamma,
};

const pairwise: Readonly<Record<string, (x: number, y: number) => number>> = {
  atan2: Math.atan2,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  hypot: Math.hypot,
  mod: (x, y) => x % y,
  pow: power,
  remainder,
};

/** go.starlark.net/lib/math. */
export const mathModule = new Module("math", [
  ...Object.entries(unary).map(
    ([name, compute]) => [name, native(name, (args) => compute(real(args.take(1), 0)))] as const,
  ),
  ...Object.entries(pairwise).map(
    ([name, compute]) =>
      [name, native(name, (args) => compute(real(args.take(2), 0), real(args, 1)))] as const,
  ),
  ["ceil", native("ceil", (args) => rounded(args, Math.ceil))],
  ["floor", native("floor", (args) => rounded(args, Math.floor))],
  ["log", native("log", log)],
  ["e", Math.E],
  ["pi", Math.PI],
]);

function real(args: Arguments, index: number): number {
  const value = args.value(index);
  if (!isNumber(value))
    throw args.error(`for parameter ${index + 1}: got ${typeOf(value)}, want float or int`);
  return Number(value);
}

function rounded(args: Arguments, round: (x: number) => number): bigint {
  const value = args.take(1).value(0);
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw new StarlarkError(`got ${typeOf(value)}, want float or int`);
  return truncate(round(value));
}

function log(args: Arguments): Value {
  args.take(1, 2);
  const base = args.optional(1) === undefined ? Math.E : real(args, 1);
  if (base === 1) throw new StarlarkError("division by zero");
  const value = Math.log(real(args, 0));
  return base === Math.E ? value : value / Math.log(base);
}

/** IEEE: the nearest multiple is taken away, the even one of two. */
function remainder(x: number, y: number): number {
  if (!Number.isFinite(y)) return Number.isNaN(y) || !Number.isFinite(x) ? Number.NaN : x;
  const rest = x % y;
  const half = Math.abs(y) / 2;
  const size = Math.abs(rest);
  const isOdd = Math.abs(Math.trunc(x / y)) % 2 === 1;
  const nearest = size > half || (size === half && isOdd) ? rest - Math.sign(rest) * Math.abs(y) : rest;
  return nearest === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : nearest;
}

/** 1 to any power, and -1 to an endless one, are 1 in Go. */
function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return 1;
  return x ** y;
}
