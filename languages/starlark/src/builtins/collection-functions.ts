import { StarlarkError } from "../script-error.ts";
import { type Comparison, compare } from "../values/compare.ts";
import { StarDict, StarSet } from "../values/mappings.ts";
import { StarList, StarRange, StarTuple } from "../values/sequences.ts";
import { isIterable, isTrue, lengthOf, typeOf, type Value } from "../values/value.ts";
import type { Arguments, Native } from "./arguments.ts";
import { updateDict } from "./dict-methods.ts";

export const collectionFunctions: Readonly<Record<string, Native>> = {
  all(args) {
    for (const value of args.take(1).elements(0)) if (!isTrue(value)) return false;
    return true;
  },
  any(args) {
    for (const value of args.take(1).elements(0)) if (isTrue(value)) return true;
    return false;
  },
  dict(args) {
    const { length } = args.positional;
    if (length > 1) throw args.error(`got ${length} arguments, want at most 1`);
    const dict = new StarDict();
    args.naming(() => updateDict(dict, args.positional[0], args.named));
    return dict;
  },
  enumerate(args) {
    let index = args.take(1, 2).int(1, 0);
    return new StarList([...args.elements(0)].map((value) => new StarTuple([BigInt(index++), value])));
  },
  len(args) {
    const length = lengthOf(args.take(1).value(0));
    if (length === undefined) throw args.error(`value of type ${typeOf(args.value(0))} has no len`);
    return BigInt(length);
  },
  list: (args) => new StarList(args.take(0, 1).optional(0) === undefined ? [] : [...args.elements(0)]),
  max: (args) => extreme(args, ">"),
  min: (args) => extreme(args, "<"),
  range(args) {
    args.take(1, 3);
    const first = args.int(0);
    const [start, stop] = args.optional(1) === undefined ? [0, first] : [first, args.int(1)];
    const step = args.int(2, 1);
    if (step === 0) throw args.error("step argument must not be zero");
    return new StarRange(start, stop, step);
  },
  reversed: (args) => new StarList([...args.take(1).elements(0)].reverse()),
  set(args) {
    if (args.take(0, 1).optional(0) === undefined) return new StarSet();
    const values = args.elements(0);
    return args.naming(() => StarSet.of(values));
  },
  sorted,
  tuple: (args) => new StarTuple(args.take(0, 1).optional(0) === undefined ? [] : [...args.elements(0)]),
  zip(args) {
    args.noNames();
    const columns = args.positional.map((values, index) => {
      if (!isIterable(values)) throw args.error(`argument #${index + 1} is not iterable: ${typeOf(values)}`);
      return [...(values.elements() ?? [])];
    });
    const rows = columns.length === 0 ? 0 : Math.min(...columns.map(({ length }) => length));
    return new StarList(
      Array.from({ length: rows }, (_, row) => new StarTuple(columns.map((column) => column[row] ?? null))),
    );
  },
};

function extreme(args: Arguments, operator: Comparison): Value {
  const { name, positional, host } = args;
  if (positional.length === 0) throw new StarlarkError(`${name} requires at least one positional argument`);
  const key = keyArgument(args);
  const [only = null] = positional;
  const source: Value = positional.length === 1 ? only : new StarTuple(positional);
  if (!isIterable(source)) throw args.error(`${typeOf(source)} value is not iterable`);
  let best: { value: Value; key: Value } | undefined;
  for (const value of source.elements() ?? []) {
    const rank = key === null ? value : host.call(key, [value], []);
    const previous = best;
    if (!previous || args.naming(() => compare(operator, rank, previous.key))) best = { value, key: rank };
  }
  if (!best) throw args.error("argument is an empty sequence");
  return best.value;
}

/** `key=…` is the only name that min and max know. */
function keyArgument(args: Arguments): Value {
  return args.onlyNamed().fit("key?").value(0);
}

function sorted(args: Arguments): Value {
  args.fit("iterable", "key?", "reverse?");
  const values = [...args.elements(0)];
  const key = args.optional(1) === undefined ? undefined : args.callable(1);
  const isReversed = args.bool(2, false);
  const ranked = values.map((value) => ({ value, rank: key ? args.host.call(key, [value], []) : value }));
  const sign = isReversed ? -1 : 1;
  let problem: StarlarkError | undefined;
  ranked.sort((one, other) => {
    try {
      if (compare("<", one.rank, other.rank)) return -sign;
      return compare("<", other.rank, one.rank) ? sign : 0;
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      problem = error;
      return 0;
    }
  });
  if (problem) throw problem;
  return new StarList(ranked.map(({ value }) => value));
}
