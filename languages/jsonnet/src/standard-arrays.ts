import { JsonnetError } from "./jsonnet-error.ts";
import { type Arguments, checkSize, type Native, type Natives } from "./native.ts";
import { applyBinary, compareValues, isEqual } from "./operators.ts";
import { sliceValue } from "./slice.ts";
import { JsonnetArray, type JsonnetFunction, Thunk, typeOf, type Value } from "./values.ts";

const lazily = (f: JsonnetFunction, ...given: readonly Thunk[]): Thunk =>
  new Thunk(() => f.invoke(given, undefined));

const makeArray = (count: number, item: (at: number) => Thunk): JsonnetArray =>
  new JsonnetArray(Array.from({ length: checkSize(count, "std.makeArray: sz") }, (_, at) => item(at)));

function isTrue(value: Value, what: string): boolean {
  if (typeof value !== "boolean") throw new JsonnetError(`${what} must give a boolean, got ${typeOf(value)}`);
  return value;
}

const filtered = (test: JsonnetFunction, items: readonly Thunk[]): Thunk[] =>
  items.filter((item) => isTrue(test.invoke([item], undefined), "std.filter: func"));

function join(separator: Value, parts: readonly Value[]): Value {
  const present = parts.filter((part) => part !== null);
  if (typeof separator === "string")
    return present
      .map((part) => {
        if (typeof part !== "string")
          throw new JsonnetError(`std.join: expected a string, got ${typeOf(part)}`);
        return part;
      })
      .join(separator);
  if (!(separator instanceof JsonnetArray))
    throw new JsonnetError("std.join: sep must be a string or an array");
  const items: Thunk[] = [];
  present.forEach((part, at) => {
    if (!(part instanceof JsonnetArray))
      throw new JsonnetError(`std.join: expected an array, got ${typeOf(part)}`);
    if (at > 0) items.push(...separator.items);
    items.push(...part.items);
  });
  return new JsonnetArray(items);
}

function flatten(value: Value): Thunk[] {
  return value instanceof JsonnetArray ? value.values().flatMap(flatten) : [Thunk.of(value)];
}

const keyOf = (args: Arguments, place: number) => (value: Value) =>
  args.has(place) ? args.function(place).call(value) : value;

interface Keyed {
  item: Value;
  key: Value;
}

function sorted(items: readonly Value[], key: (value: Value) => Value): Keyed[] {
  return items.map((item) => ({ item, key: key(item) })).toSorted((a, b) => compareValues(a.key, b.key));
}

const distinct = (keyed: readonly Keyed[]): Keyed[] =>
  keyed.filter(({ key }, at) => at === 0 || !isEqual(keyed[at - 1]?.key ?? null, key));

const items = (keyed: readonly Keyed[]): JsonnetArray => JsonnetArray.of(keyed.map(({ item }) => item));

/** Both sides are sets: sorted and without repetition. */
const setOperation = (
  keep: (left: readonly Keyed[], right: readonly Keyed[]) => readonly Keyed[],
): Native => [
  "a b keyF?",
  (args) => {
    const key = keyOf(args, 2);
    const keyed = (at: number): Keyed[] =>
      args
        .array(at)
        .values()
        .map((item) => ({ item, key: key(item) }));
    return items(keep(keyed(0), keyed(1)));
  },
];

const hasKey = (set: readonly Keyed[], key: Value): boolean => set.some((one) => isEqual(one.key, key));

function fold(args: Arguments, fromRight: boolean): Value {
  const [f, sequence, start] = [args.function(0), args.sequence(1).items, args.value(2)];
  if (fromRight)
    return sequence.reduceRight<Value>((sum, item) => f.invoke([item, Thunk.of(sum)], undefined), start);
  return sequence.reduce<Value>((sum, item) => f.invoke([Thunk.of(sum), item], undefined), start);
}

function removeAt(array: JsonnetArray, place: number): JsonnetArray {
  return new JsonnetArray(array.items.filter((_, at) => at !== place));
}

const placesOf = (wanted: Value, array: JsonnetArray): number[] =>
  array.values().flatMap((value, at) => (isEqual(value, wanted) ? [at] : []));

function flatMap(args: Arguments): Value {
  const f = args.function(0);
  const isText = typeof args.value(1) === "string";
  const parts = args.sequence(1).items.map((item) => f.invoke([item], undefined));
  return join(isText ? "" : new JsonnetArray([]), parts);
}

export const standardArrays: Natives = {
  makeArray: ["sz func", (args) => makeArray(args.whole(0), (at) => lazily(args.function(1), Thunk.of(at)))],
  range: [
    "from to",
    (args) => makeArray(Math.max(args.whole(1) - args.whole(0) + 1, 0), (at) => Thunk.of(args.whole(0) + at)),
  ],
  repeat: [
    "what count",
    (args) => {
      const [what, count] = [args.value(0), checkSize(args.whole(1), "std.repeat: count")];
      if (typeof what === "string") return what.repeat(checkSize(what.length * count, "std.repeat") && count);
      const { items: some } = args.array(0);
      return makeArray(some.length * count, (at) => some[at % some.length] ?? Thunk.of(null));
    },
  ],
  slice: [
    "indexable index end step",
    (args) => sliceValue(args.value(0), [args.value(1), args.value(2), args.value(3)]),
  ],
  map: [
    "func arr",
    (args) => new JsonnetArray(args.sequence(1).items.map((item) => lazily(args.function(0), item))),
  ],
  mapWithIndex: [
    "func arr",
    (args) =>
      new JsonnetArray(
        args.sequence(1).items.map((item, at) => lazily(args.function(0), Thunk.of(at), item)),
      ),
  ],
  filter: ["func arr", (args) => new JsonnetArray(filtered(args.function(0), args.array(1).items))],
  filterMap: [
    "filter_func map_func arr",
    (args) =>
      new JsonnetArray(
        filtered(args.function(0), args.array(2).items).map((item) => lazily(args.function(1), item)),
      ),
  ],
  flatMap: ["func arr", flatMap],
  foldl: ["func arr init", (args) => fold(args, false)],
  foldr: ["func arr init", (args) => fold(args, true)],
  join: ["sep arr", (args) => join(args.value(0), args.array(1).values())],
  deepJoin: [
    "arr",
    (args) =>
      flatten(args.value(0))
        .map((item) => String(item.force()))
        .join(""),
  ],
  lines: [
    "arr",
    (args) =>
      args
        .array(0)
        .values()
        .map((line) => (line === null ? "" : `${String(line)}\n`))
        .join(""),
  ],
  flattenArrays: ["arrs", (args) => join(new JsonnetArray([]), args.array(0).values())],
  flattenDeepArray: ["value", (args) => new JsonnetArray(flatten(args.value(0)))],
  reverse: ["arr", (args) => new JsonnetArray(args.sequence(0).items.toReversed())],
  sort: ["arr keyF?", (args) => items(sorted(args.sequence(0).values(), keyOf(args, 1)))],
  uniq: [
    "arr keyF?",
    (args) =>
      items(
        distinct(
          args
            .sequence(0)
            .values()
            .map((item) => ({ item, key: keyOf(args, 1)(item) })),
        ),
      ),
  ],
  set: ["arr keyF?", (args) => items(distinct(sorted(args.sequence(0).values(), keyOf(args, 1))))],
  setMember: [
    "x arr keyF?",
    (args) =>
      args
        .array(1)
        .values()
        .some((item) => isEqual(keyOf(args, 2)(item), keyOf(args, 2)(args.value(0)))),
  ],
  setUnion: setOperation((left, right) => {
    const all = [...left, ...right.filter(({ key }) => !hasKey(left, key))];
    return all.toSorted((a, b) => compareValues(a.key, b.key));
  }),
  setInter: setOperation((left, right) => left.filter(({ key }) => hasKey(right, key))),
  setDiff: setOperation((left, right) => left.filter(({ key }) => !hasKey(right, key))),
  member: [
    "arr x",
    (args) => {
      const [where, what] = [args.value(0), args.value(1)];
      if (typeof where === "string") return typeof what === "string" && where.includes(what);
      return placesOf(what, args.array(0)).length > 0;
    },
  ],
  contains: ["arr elem", (args) => placesOf(args.value(1), args.array(0)).length > 0],
  count: ["arr x", (args) => placesOf(args.value(1), args.array(0)).length],
  find: ["value arr", (args) => JsonnetArray.of(placesOf(args.value(0), args.array(1)))],
  all: [
    "arr",
    (args) =>
      args
        .array(0)
        .values()
        .every((item) => isTrue(item, "std.all: arr")),
  ],
  any: [
    "arr",
    (args) =>
      args
        .array(0)
        .values()
        .some((item) => isTrue(item, "std.any: arr")),
  ],
  remove: ["arr elem", (args) => removeAt(args.array(0), placesOf(args.value(1), args.array(0))[0] ?? -1)],
  removeAt: ["arr at", (args) => removeAt(args.array(0), args.whole(1))],
  xor: ["x y", (args) => args.boolean(0) !== args.boolean(1)],
  xnor: ["x y", (args) => args.boolean(0) === args.boolean(1)],
  primitiveEquals: [
    "x y",
    (args) => {
      if (typeOf(args.value(0)) !== typeOf(args.value(1))) return false;
      for (const value of [args.value(0), args.value(1)])
        if (typeof value === "object" && value !== null)
          throw new JsonnetError(`primitiveEquals operates on primitive types, got ${typeOf(value)}`);
      return args.value(0) === args.value(1);
    },
  ],
  equals: ["a b", (args) => isEqual(args.value(0), args.value(1))],

  mod: ["a b", (args) => applyBinary("%", args.value(0), args.value(1))],
};
