import { define, defineRest, type GoFunctions } from "../execute/functions.ts";
import { GoList, kindName, NilList, type Value } from "../values/value.ts";
import { alsoMust } from "./also-must.ts";
import { isDeepEqual } from "./compare.ts";
import { isEmpty } from "./defaults.ts";
import { toInt64 } from "./numbers.ts";

const push = define(["any", "any"], ([list, value], { spend }) => {
  const items = itemsOf(list, "Cannot push on type");
  spend(items.length);
  return new GoList([...items, value]);
});

/** sprig's functions on lists (Masterminds/sprig list.go). They copy: none changes the list it was given. */
const once: GoFunctions = {
  push,
  append: push,
  prepend: define(["any", "any"], ([list, value], { spend }) => {
    const items = itemsOf(list, "Cannot prepend on type");
    spend(items.length);
    return new GoList([value, ...items]);
  }),
  first: define(["any"], ([list]) => itemsOf(list, "Cannot find first on type")[0] ?? null),
  last: define(["any"], ([list]) => itemsOf(list, "Cannot find last on type").at(-1) ?? null),
  rest: define(["any"], ([list]) => lessOf(itemsOf(list, "Cannot find rest on type"), 1)),
  initial: define(["any"], ([list]) => lessOf(itemsOf(list, "Cannot find initial on type"), 0, -1)),
  reverse: define(["any"], ([list]) => new GoList(itemsOf(list, "Cannot find reverse on type").toReversed())),
  compact: define(["any"], ([list], { spend }) => {
    const items = itemsOf(list, "Cannot find compact on type");
    spend(items.length);
    return new GoList(items.filter((one) => !isEmpty(one)));
  }),
  uniq: define(["any"], ([list], { spend }) => {
    const unique: Value[] = [];
    for (const item of itemsOf(list, "Cannot find uniq on type")) {
      if (!unique.some((one) => isDeepEqual(one, item, spend))) unique.push(item);
    }
    return new GoList(unique);
  }),
  without: defineRest(["any"], "any", ([list], left, { spend }) => {
    const items = itemsOf(list, "Cannot find without on type");
    return new GoList(items.filter((item) => !left.some((one) => isDeepEqual(one, item, spend))));
  }),
  has: define(["any", "any"], ([value, list], { spend }) => {
    if (list === null || list === undefined) return false;
    const items = itemsOf(list, "Cannot find has on type");
    return items.some((item) => isDeepEqual(item, value, spend));
  }),
  slice: defineRest(["any"], "any", ([list], bounds) => {
    const items = itemsOf(list, "list should be type of slice or array but");
    if (items.length === 0) return null;
    const [from = 0, to = items.length] = bounds.map((one) => Number(toInt64(one)));
    if (from < 0 || to > items.length || from > to)
      throw new Error("reflect.Value.Slice: slice index out of bounds");
    return new GoList(items.slice(from, to), list instanceof GoList ? list.element : undefined);
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
    return items.length === 0 ? new NilList() : new GoList(items);
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
