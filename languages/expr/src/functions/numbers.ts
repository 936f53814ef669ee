import { ExprError } from "../expr-error.ts";
import { compare, toText } from "../values/operators.ts";
import { ExprNamed, isList, isNumeric, printValue, typeOf, type Value } from "../values/value.ts";
import { type Definition, type Definitions, define } from "./definition.ts";

const wrong = (name: string, value: Value) =>
  new ExprError(`invalid argument for ${name} (type ${typeOf(value)})`);

function ofNumber(name: string, play: (value: bigint | number) => Value): Definition {
  return define(1, ([value = null]) => {
    if (!isNumeric(value)) throw wrong(name, value);
    return play(value);
  });
}

function ofIntegers(name: string, play: (left: bigint, right: bigint) => bigint): Definition {
  return define(2, ([left = null, right = null]) => {
    if (typeof left !== "bigint" || typeof right !== "bigint")
      throw wrong(name, typeof left === "bigint" ? right : left);
    return BigInt.asIntN(64, play(left, right));
  });
}

function shift(name: string, play: (value: bigint, by: bigint) => bigint): Definition {
  return ofIntegers(name, (value, by) => {
    if (by < 0n) throw new ExprError(`${name}: a shift by ${by}`);
    return play(value, by > 64n ? 64n : by);
  });
}

/** Of lists within lists too. */
function numbersIn(name: string, values: readonly Value[], depth = 0): (bigint | number)[] {
  if (depth > 200) throw new ExprError(`${name}: lists are nested too deep`);
  return values.flatMap((value) => {
    if (isList(value)) return numbersIn(name, value, depth + 1);
    if (!isNumeric(value)) throw wrong(name, value);
    return [value];
  });
}

function extreme(name: string, isBetter: (order: number) => boolean): Definition {
  return define([1, 1_000], (values) => {
    const [first = null] = values;
    if (values.length === 1 && !isList(first) && !isNumeric(first)) return first;
    let best: bigint | number | null = null;
    for (const one of numbersIn(name, values))
      if (best === null || isBetter(compare("<", one, best))) best = one;
    return best;
  });
}

export const numberFunctions: Definitions = {
  abs: ofNumber("abs", (value) =>
    value < 0 ? (typeof value === "bigint" ? BigInt.asIntN(64, -value) : -value) : value,
  ),
  ceil: ofNumber("ceil", (value) => Math.ceil(Number(value))),
  floor: ofNumber("floor", (value) => Math.floor(Number(value))),
  // Half away from zero.
  round: ofNumber("round", (value) => Math.sign(Number(value)) * Math.round(Math.abs(Number(value)))),
  int: define(1, ([value = null]) => {
    if (typeof value === "bigint") return value;
    if (value instanceof ExprNamed) return value.number;
    if (typeof value === "number")
      return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n); // as amd64 has it
    if (typeof value !== "string") throw new ExprError(`invalid operation: int(${typeOf(value)})`);
    const read = /^[+-]?\d+$/.test(value) ? BigInt(value.replace("+", "")) : undefined;
    if (read === undefined || read !== BigInt.asIntN(64, read))
      throw new ExprError(`invalid operation: int(${value})`);
    return read;
  }),
  float: define(1, ([value = null]) => {
    if (isNumeric(value)) return Number(value);
    const given = toText(value);
    const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i.exec(given);
    if (special) return special[2] === undefined ? Number.NaN : special[1] === "-" ? -Infinity : Infinity;
    const isFloat = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(given);
    if (!isFloat || !Number.isFinite(Number(given)))
      throw new ExprError(`invalid operation: float(${given})`);
    return Number(given);
  }),
  string: define(1, ([value = null], { budget }) => {
    const printed = printValue(value);
    budget.make(printed.length);
    return printed;
  }),
  type: define(1, ([value = null]) => typeOf(value)),
  max: extreme("max", (order) => order > 0),
  min: extreme("min", (order) => order < 0),
  mean: define([1, 1_000], (values) => {
    const all = numbersIn("mean", values);
    return all.length === 0 ? 0 : all.reduce<number>((sum, one) => sum + Number(one), 0) / all.length;
  }),
  median: define([1, 1_000], (values) => {
    const all = numbersIn("median", values)
      .map(Number)
      .sort((left, right) => left - right);
    const middle = all.length >> 1;
    const [low = 0, high = 0] = [all[middle - 1], all[middle]];
    return all.length % 2 === 1 ? high : (low + high) / 2;
  }),
  bitand: ofIntegers("bitand", (left, right) => left & right),
  bitor: ofIntegers("bitor", (left, right) => left | right),
  bitxor: ofIntegers("bitxor", (left, right) => left ^ right),
  bitnand: ofIntegers("bitnand", (left, right) => left & ~right),
  bitshl: shift("bitshl", (value, by) => value << by),
  bitshr: shift("bitshr", (value, by) => value >> by),
  bitushr: shift("bitushr", (value, by) => BigInt.asUintN(64, value) >> by),
  bitnot: define(1, ([value = null]) => {
    if (typeof value !== "bigint") throw wrong("bitnot", value);
    return ~value;
  }),
};
