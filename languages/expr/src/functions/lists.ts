import { ExprError } from "../expr-error.ts";
import type { Budget } from "../values/budget.ts";
import { elementAt, fetchMember, lengthOf } from "../values/members.ts";
import { compare, equal, keyOf, toInteger } from "../values/operators.ts";
import { ExprMap, isKey, isList, nilList, typeOf, type Value } from "../values/value.ts";
import { type Definitions, define, type Play } from "./definition.ts";

function listOf(name: string, value: Value | undefined): readonly Value[] {
  if (value === undefined || !isList(value)) throw new ExprError(`cannot ${name} ${typeOf(value ?? null)}`);
  return value;
}

function mapOf(name: string, value: Value | undefined): ExprMap {
  if (!(value instanceof ExprMap)) throw new ExprError(`cannot get ${name} from ${typeOf(value ?? null)}`);
  return value;
}

function made(values: Value[], budget: Budget): Value[] {
  budget.make(values.length);
  return values;
}

const endOf =
  (index: 0 | -1): Play =>
  ([value = null]) => {
    const length = lengthOf(value);
    return length === undefined || length === 0 ? null : elementAt(value, index === 0 ? 0 : length - 1);
  };

function flat(values: readonly Value[], budget: Budget, depth = 0): Value[] {
  if (depth > 200) throw new ExprError("flatten: lists are nested too deep");
  return made(
    values.flatMap((value) => (isList(value) ? flat(value, budget, depth + 1) : [value])),
    budget,
  );
}

export const listFunctions: Definitions = {
  len: define(1, ([value = null]) => {
    if (typeof value === "string") return BigInt([...value].length);
    if (isList(value)) return BigInt(value.length);
    if (value instanceof ExprMap) return BigInt(value.entries.size);
    throw new ExprError(`invalid argument for len (type ${typeOf(value)})`);
  }),
  first: define(1, endOf(0)),
  last: define(1, endOf(-1)),
  /** As [] has it, but nothing where that fails for what is not there. */
  get: define(2, ([from = null, key = null]) => {
    if (from instanceof ExprMap) return from.entries.get(keyOf(from, key)) ?? null;
    const length = lengthOf(from);
    if (length === undefined)
      return typeof key === "string" && from !== null ? methodOrNothing(from, key) : null;
    const given = toInteger(key);
    const index = given < 0 ? length + given : given;
    return index >= 0 && index < length ? elementAt(from, index) : null;
  }),
  take: define(2, ([value, count = null]) => {
    const list = listOf("take from", value);
    if (typeof count !== "bigint") throw new ExprError(`cannot take ${typeOf(count)} elements`);
    if (count < 0n) throw new ExprError(`cannot take ${count} elements`);
    return list.slice(0, Number(count));
  }),
  keys: define(1, ([value], { budget }) => made([...mapOf("keys", value).entries.keys()], budget)),
  values: define(1, ([value], { budget }) => made([...mapOf("values", value).entries.values()], budget)),
  toPairs: define(1, ([value], { budget }) =>
    made(
      [...mapOf("pairs", value).entries].map(([key, one]) => [key, one]),
      budget,
    ),
  ),
  fromPairs: define(1, ([value], { budget }) => {
    const entries = new Map<Value, Value>();
    for (const pair of listOf("make a map of", value)) {
      if (!isList(pair) || pair.length !== 2) throw new ExprError("fromPairs: a pair is no array of two");
      const [key = null, one = null] = pair;
      if (!isKey(key)) throw new ExprError(`${typeOf(key)} cannot be a key of a map`);
      entries.set(key, one);
    }
    budget.make(entries.size);
    return new ExprMap(entries, true);
  }),
  reverse: define(1, ([value], { budget }) => made([...listOf("reverse", value)].reverse(), budget)),
  uniq: define(1, ([value], { budget }) => {
    const found: Value[] = [];
    for (const one of listOf("uniq", value))
      if (!found.some((known) => equal(one, known, budget))) found.push(one);
    return made(found, budget);
  }),
  concat: define([1, 1_000], (values, { budget }) => {
    const all = values.flatMap((value) => [...listOf("concat", value)]);
    return all.length === 0 ? nilList : made(all, budget);
  }),
  flatten: define(1, ([value], { budget }) => flat(listOf("flatten", value), budget)),
  sort: define([1, 2], ([value = null, order = "asc"], { budget }) => {
    if (order !== "asc" && order !== "desc") throw new ExprError("invalid order, expected asc or desc");
    const up = order === "asc" ? 1 : -1;
    if (!isList(value)) return nilList; // as expr has it, which knows no other types here
    return made(
      [...value].sort((left, right) => up * compare("<", left, right)),
      budget,
    );
  }),
};

function methodOrNothing(from: Value, key: string): Value {
  try {
    return fetchMember(from, key);
  } catch (error) {
    if (error instanceof ExprError) return null;
    throw error;
  }
}
