import { define, defineRest, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import { printValue } from "../values/print-value.ts";
import {
  appendedList,
  GoList,
  GoMap,
  isTrue,
  NilMap,
  type Spend,
  typeName,
  type Value,
} from "../values/value.ts";
import { alsoMust } from "./also-must.ts";

/** sprig's functions on maps (Masterminds/sprig dict.go). Orders that Go leaves to chance are sorted here. */
export const dictFunctions: GoFunctions = {
  dict: defineRest([], "any", (_none, values, { spend }) => {
    const map = new GoMap([]);
    for (let at = 0; at < values.length; at += 2)
      map.entries.set(printValue(values[at], spend), at + 1 < values.length ? values[at + 1] : "");
    return map;
  }),
  get: define(["map", "string"], ([map, key]) => (map.entries.has(key) ? map.entries.get(key) : "")),
  set: define(["map", "string", "any"], ([map, key, value]) => {
    put(map, key, value);
    return map;
  }),
  unset: define(["map", "string"], ([map, key]) => {
    map.entries.delete(key);
    return map;
  }),
  hasKey: define(["map", "string"], ([map, key]) => map.entries.has(key)),
  pluck: defineRest(["string"], "map", ([key], maps) =>
    appendedList(maps.filter(({ entries }) => entries.has(key)).map(({ entries }) => entries.get(key))),
  ),
  keys: defineRest([], "map", (_none, maps, { spend }) => {
    return appendedList(
      maps.flatMap((map) => map.sortedKeys(spend)),
      "string",
    );
  }),
  values: define(["map"], ([map], { spend }) =>
    appendedList(map.sortedKeys(spend).map((key) => map.entries.get(key))),
  ),
  pick: defineRest(
    ["map"],
    "string",
    ([map], keys) =>
      new GoMap(keys.filter((key) => map.entries.has(key)).map((key) => [key, map.entries.get(key)])),
  ),
  omit: defineRest(["map"], "string", ([map], keys) => {
    const left = new Set(keys);
    return new GoMap([...map.entries].filter(([key]) => !left.has(key)));
  }),
  ...alsoMust({ merge: merging(false), mergeOverwrite: merging(true) }),
  dig: defineRest([], "any", (_none, values) => {
    if (values.length < 3) throw new Error("dig needs at least three arguments");
    const [map, otherwise] = [values.at(-1), values.at(-2)];
    return dig(map, values.slice(0, -2), otherwise);
  }),
};

/** Into itself, too: what goes through such a map fails, and Go's own program ends where it is printed. */
function put(map: GoMap, key: string, value: Value): void {
  if (map instanceof NilMap) throw new Error("assignment to entry in nil map");
  map.entries.set(key, value);
}

function dig(value: Value, path: readonly Value[], otherwise: Value): Value {
  let found = value;
  for (const key of path.map(textOf)) {
    if (!(found instanceof GoMap) || found.element !== "interface {}")
      throw new Error(
        `interface conversion: interface {} is ${typeName(found)}, not map[string]interface {}`,
      );
    if (!found.entries.has(key)) return otherwise;
    found = found.entries.get(key);
  }
  return found;
}

function textOf(key: Value): string {
  if (typeof key === "string") return key;
  throw new Error(`interface conversion: interface {} is ${typeName(key)}, not string`);
}

interface Merging {
  readonly overwrites: boolean;
  readonly spend: Spend;
}

/** dario.cat/mergo: fills what is empty, or overwrites; maps within maps likewise. */
function merging(overwrites: boolean): GoFunction {
  return defineRest(["map"], "map", ([map], others, { spend }) => {
    const isMade = !(map instanceof NilMap) || others.every((one) => one instanceof NilMap);
    const into = isMade ? map : new GoMap([]);
    for (const other of others) mergeInto(into, other, { overwrites, spend });
    return into;
  });
}

/** mergo's deepMerge: what overwrites may itself be empty; only an empty map leaves one that holds something. */
function mergeInto(map: GoMap, other: GoMap, how: Merging): void {
  const { overwrites, spend } = how;
  // Where one lies within the other, keys may come to either meanwhile.
  for (const [key, value] of [...other.entries]) {
    spend(1);
    const own = map.entries.get(key);
    if (own instanceof GoMap && value instanceof GoMap && !(own instanceof NilMap))
      mergeInto(own, value, how);
    const isKept = own instanceof GoMap && value instanceof GoMap && isTrue(own);
    // What is nil fills nothing, but it overwrites.
    const isSet = overwrites ? !isKept : value !== null && !isTrue(own);
    if (isSet || value instanceof GoList) refuseOtherTypes(map, other);
    if (isSet) put(map, key, value);
  }
}

function refuseOtherTypes(map: GoMap, other: GoMap): void {
  if (map.element !== other.element && map.element !== "interface {}")
    throw new Error(`reflect.Set: value of type ${other.element} is not assignable to type ${map.element}`);
}
