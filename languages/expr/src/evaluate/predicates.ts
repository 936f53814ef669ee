import { ExprError } from "../expr-error.ts";
import type { Budget } from "../values/budget.ts";
import { elementAt, lengthOf } from "../values/members.ts";
import { add, compare, toBoolean } from "../values/operators.ts";
import { ExprMap, isKey, nilList, typeOf, type Value } from "../values/value.ts";

/** The element that a predicate is played for. */
export interface Scope {
  readonly element: Value;
  readonly index: number;
  readonly accumulated?: Value;
}

interface Play {
  readonly list: Value;
  /** The predicate's value for an element. */
  readonly of: ((scope: Scope) => Value) | undefined;
  readonly third: Value | undefined;
  readonly budget: Budget;
}

type Predicate = (play: Play) => Value;

function sizeOf(list: Value): number {
  if (list instanceof ExprMap && list.entries.size === 0) return 0;
  const length = lengthOf(list);
  if (length === undefined) throw new ExprError(`${typeOf(list)} is no array`);
  return length;
}

function* scopes(list: Value, direction: 1 | -1 = 1): Generator<Scope> {
  const size = sizeOf(list);
  for (let at = 0; at < size; at += 1) {
    const index = direction === 1 ? at : size - 1 - at;
    yield { element: elementAt(list, index), index };
  }
}

const holds = ({ of }: Play, scope: Scope): boolean => toBoolean(of ? of(scope) : scope.element);

function found(play: Play, direction: 1 | -1): Scope | undefined {
  for (const scope of scopes(play.list, direction)) if (holds(play, scope)) return scope;
  return undefined;
}

function counted(play: Play): number {
  let count = 0;
  for (const scope of scopes(play.list)) if (holds(play, scope)) count += 1;
  return count;
}

function made(play: Play, values: Value[]): Value[] {
  play.budget.make(values.length);
  return values;
}

const ended = (play: Play, is: boolean): boolean => {
  for (const scope of scopes(play.list)) if (holds(play, scope) === is) return true;
  return false;
};

/** Calls that play a part of the expression for each element (expr-lang compiler.go, BuiltinNode). */
export const predicates: Readonly<Record<string, Predicate>> = {
  all: (play) => !ended(play, false),
  none: (play) => !ended(play, true),
  any: (play) => ended(play, true),
  one: (play) => counted(play) === 1,
  count: (play) => BigInt(counted(play)),
  filter: (play) =>
    made(
      play,
      [...scopes(play.list)].filter((scope) => holds(play, scope)).map(({ element }) => element),
    ),
  map: (play) =>
    made(
      play,
      [...scopes(play.list)].map((scope) => play.of?.(scope) ?? null),
    ),
  find: (play) => found(play, 1)?.element ?? null,
  findLast: (play) => found(play, -1)?.element ?? null,
  findIndex: (play) => indexOf(found(play, 1)),
  findLastIndex: (play) => indexOf(found(play, -1)),
  sum: ({ list, of, budget }) => {
    let sum: Value = 0n;
    for (const scope of scopes(list)) sum = add(of ? of(scope) : scope.element, sum, budget);
    return sum;
  },
  groupBy: (play) => {
    const groups = new Map<Value, Value[]>();
    for (const scope of scopes(play.list)) {
      const key = play.of?.(scope) ?? null;
      if (!isKey(key)) throw new ExprError(`${typeOf(key)} cannot be a key of a map`);
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push(scope.element);
    }
    return new ExprMap(groups, true, nilList);
  },
  sortBy: (play) => {
    const order = play.third ?? "asc";
    if (order !== "asc" && order !== "desc") throw new ExprError("unknown order, use asc or desc");
    const keyed = [...scopes(play.list)].map((scope) => ({
      element: scope.element,
      key: play.of?.(scope) ?? null,
    }));
    const sorted = keyed.sort((one, other) => sign(order) * compare("<", one.key, other.key));
    return made(
      play,
      sorted.map(({ element }) => element),
    );
  },
  reduce: ({ list, of, third }) => {
    const all = [...scopes(list)];
    const [first] = all;
    if (third === undefined && !first) throw new ExprError("reduce of an empty array needs an initial value");
    let accumulated: Value = third ?? first?.element ?? null;
    for (const scope of third === undefined ? all.slice(1) : all)
      accumulated = of?.({ ...scope, accumulated }) ?? null;
    return accumulated;
  },
};

const sign = (order: "asc" | "desc"): 1 | -1 => (order === "asc" ? 1 : -1);

function indexOf(scope: Scope | undefined): Value {
  return scope ? BigInt(scope.index) : null;
}
