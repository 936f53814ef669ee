import { define, defineRest, type GoFunctions } from "../execute/functions.ts";
import { capacityFor } from "../values/room.ts";
import { appendedList, GoList, kindName, NilList, type Value } from "../values/value.ts";
import { alsoMust } from "./also-must.ts";
import { isDeepEqual } from "./compare.ts";
import { isEmpty } from "./defaults.ts";
import { refuseEndless, toInt64 } from "./numbers.ts";

const push = define(["any", "any"], ([list, value], { spend }) => {
  const items = itemsOf(list, "Cannot push on type");
  spend(items.length);
  return appendedList([...items, value], undefined, items.length);
});

/** sprig's functions on lists (Masterminds/sprig list.go). They copy: none changes the list it was given. What they append to has room beyond its end. */
const once: GoFunctions = {
  push,
  append: push,
  prepend: define(["any", "any"], ([list, value], { spend }) => {
    const items = itemsOf(list, "Cannot prepend on type");
    spend(items.length);
    const capacity = capacityFor(items.length + 1, "interface {}", 1);
    return new GoList([value, ...items], undefined, { capacity });
  }),
  first: define(["any"], ([list]) => itemsOf(list, "Cannot find first on type")[0] ?? null),
  last: define(["any"], ([list]) => itemsOf(list, "Cannot find last on type").at(-1) ?? null),
  rest: define(["any"], ([list]) => lessOf(itemsOf(list, "Cannot find rest on type"), 1)),
  initial: define(["any"], ([list]) => lessOf(itemsOf(list, "Cannot find initial on type"), 0, -1)),
  reverse: define(["any"], ([list]) => new GoList(itemsOf(list, "Cannot find reverse on type").toReversed())),
  compact: define(["any"], ([list], { spend }) => {
    const items = itemsOf(list, "Cannot find compact on type");
    spend(items.length);
    return appendedList(items.filter((one) => !isEmpty(one)));
  }),
  uniq: define(["any"], ([list], { spend }) => {
    const unique: Value[] = [];
    for (const item of itemsOf(list, "Cannot find uniq on type")) {
      if (!unique.some((one) => isDeepEqual(one, item, spend))) unique.push(item);
    }
    return appendedList(unique);
  }),
  without: defineRest(["any"], "any", ([list], left, { spend }) => {
    const items = itemsOf(list, "Cannot find without on type");
    return appendedList(items.filter((item) => !left.some((one) => isDeepEqual(one, item, spend))));
  }),
  has: define(["any", "any"], ([value, list], { spend }) => {
    if (list === null || list === undefined) return false;
    const items = itemsOf(list, "Cannot find has on type");
    return items.some((item) => isDeepEqual(item, value, spend));
  }),
  slice: defineRest(["any"], "any", ([list], bounds, { spend }) => {
    const items = itemsOf(list, "list should be type of slice or array but");
    if (items.length === 0) return null;
    const [from = 0, to = items.length] = refuseEndless(bounds, spend).map((one) => Number(toInt64(one)));
    if (!(list instanceof GoList) || from < 0 || to > list.capacity || from > to)
      throw new Error("reflect.Value.Slice: slice index out of bounds");
    return list.slice(from, to);
  }),
  chunk: define(["int", "any"], ([size, list], { spend }) => {
    const items = itemsOf(list, "Cannot chunk type");
    spend(items.length);
    const count = Math.floor((items.length - 1) / size) + 1;
    const last = items.length % size || size;
    if (!(count >= 0) || (count > 0 && last < 0) || (count > 1 && size < 0))
      throw new Error("runtime error: makeslice: len out of range");
    const chunks = Array.from({ length: count }, (_, index) => {
      const from = index * size;
      return new GoList(items.slice(from, from + (index === count - 1 ? last : size)));
    });
    return new GoList(chunks, "[]interface {}");
  }),
};

export const listFunctions: GoFunctions = {
  ...alsoMust(once),
  list: defineRest([], "any", (_none, values) => new GoList(values)),
  tuple: defineRest([], "any", (_none, values) => new GoList(values)),
  concat: defineRest([], "any", (_none, lists, { spend }) => {
    const items = lists.flatMap((list) => {
      const found = itemsOf(list, "Cannot concat type", " as list");
      spend(found.length);
      return [...found];
    });
    return items.length === 0 ? new NilList() : appendedList(items);
  }),
};

/** Of nothing sprig gives a slice that was never made. */
function lessOf(items: readonly Value[], ...bounds: readonly [from: number, to?: number]): GoList {
  return items.length === 0 ? new NilList() : new GoList(items.slice(...bounds));
}

/** What a list holds; others are refused by their kind, nil as Go's reflect has it. */
function itemsOf(value: Value, problem: string, end = ""): readonly Value[] {
  if (value instanceof GoList) return value.items;
  if (value === null || value === undefined)
    throw new Error("runtime error: invalid memory address or nil pointer dereference");
  throw new Error(`${problem} ${kindName(value)}${end}`);
}
