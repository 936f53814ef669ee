import { EvaluationError } from "@marcbachmann/cel-js";
import { type Functions, itemsOf } from "./functions.ts";

type Scalar = bigint | number | string | boolean;

const ordered = ["int", "double", "string"];
const summed: Readonly<Record<string, bigint | number>> = { int: 0n, double: 0 };

/** apiserver pkg/cel/library/lists.go and cel-go ext/sets.go */
export const listFunctions: Functions = {
  ...forTypes(ordered, (type) => ({
    [`list<${type}>.isSorted(): bool`]: (list: Iterable<Scalar>) => isSorted(itemsOf(list)),
    [`list<${type}>.min(): ${type}`]: (list: Iterable<Scalar>) => extreme(list, "min"),
    [`list<${type}>.max(): ${type}`]: (list: Iterable<Scalar>) => extreme(list, "max"),
    [`list<${type}>.indexOf(${type}): int`]: (list: Iterable<Scalar>, value: Scalar) =>
      BigInt(itemsOf(list).indexOf(value)),
    [`list<${type}>.lastIndexOf(${type}): int`]: (list: Iterable<Scalar>, value: Scalar) =>
      BigInt(itemsOf(list).lastIndexOf(value)),
  })),
  ...forTypes(Object.keys(summed), (type) => ({
    [`list<${type}>.sum(): ${type}`]: (list: Iterable<bigint & number>) => {
      let sum = summed[type] ?? 0n;
      for (const value of list) sum = typeof sum === "bigint" ? sum + BigInt(value) : sum + Number(value);
      return sum;
    },
  })),
};

/** sets.contains and the like: methods of the namespace "sets". */
export const setFunctions: Functions = {
  "SetsNamespace.contains(list, list): bool": (
    _sets: unknown,
    list: Iterable<unknown>,
    part: Iterable<unknown>,
  ) => holdsAll(itemsOf(list), itemsOf(part)),
  "SetsNamespace.equivalent(list, list): bool": (
    _sets: unknown,
    left: Iterable<unknown>,
    right: Iterable<unknown>,
  ) => holdsAll(itemsOf(left), itemsOf(right)) && holdsAll(itemsOf(right), itemsOf(left)),
  "SetsNamespace.intersects(list, list): bool": (
    _sets: unknown,
    left: Iterable<unknown>,
    right: Iterable<unknown>,
  ) => itemsOf(left).some((item) => itemsOf(right).includes(item)),
};

function forTypes(types: readonly string[], make: (type: string) => Functions): Functions {
  return Object.assign({}, ...types.map(make));
}

function isSorted(list: readonly Scalar[]): boolean {
  return list.every((value, index) => index === 0 || (list[index - 1] ?? value) <= value);
}

function extreme(list: Iterable<Scalar>, which: "min" | "max"): Scalar {
  let found: Scalar | undefined;
  for (const value of list)
    if (found === undefined || (which === "min" ? value < found : value > found)) found = value;
  if (found === undefined) throw new EvaluationError(`${which} called on empty list`);
  return found;
}

function holdsAll(list: readonly unknown[], part: readonly unknown[]): boolean {
  return part.every((item) => list.includes(item));
}
