import { isObject, type JsonObject } from "../json.ts";
import {
  type Atom,
  elementOf,
  isEmptyList,
  isEmptyMap,
  type ListAtom,
  type MapAtom,
  type Shape,
  shapeOf,
} from "./atom.ts";

/** What an applied value makes of a live one: typed/merge.go. Lists keep the live order where both agree. */
export function mergeValues(atom: Atom, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  const shape = shapeOf(atom, applied);
  return mergeShape(shape, live, applied);
}

function mergeShape(shape: Shape, live: unknown, applied: unknown): unknown {
  if (shape.kind === "scalar") return applied;
  if (shape.kind === "list") {
    if (shape.list.atomic || (isEmptyList(live) && isEmptyList(applied))) return applied;
    return mergeItems(shape.list, Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : []);
  }
  if (shape.map.atomic || (isEmptyMap(live) && isEmptyMap(applied))) return applied;
  return mergeFields(shape.map, isObject(live) ? live : {}, isObject(applied) ? applied : {});
}

function mergeFields(map: MapAtom, live: JsonObject, applied: JsonObject): JsonObject {
  const out: JsonObject = { ...live };
  for (const key in applied) {
    const field = map.field(key);
    if (field && applied[key] !== undefined) out[key] = mergeValues(field, live[key], applied[key]);
  }
  return out;
}

interface Item {
  element: string;
  value: unknown;
}

function indexItems(list: ListAtom, items: readonly unknown[]): Item[] {
  return items.flatMap((value) => {
    const element = elementOf(list, value);
    return typeof element === "string" ? [{ element, value }] : [];
  });
}

/**
 * Walks both lists side by side: applied items keep the order of the application, live ones that the
 * application does not know stay where they stood among the shared ones.
 */
function mergeItems(list: ListAtom, live: readonly unknown[], applied: readonly unknown[]): unknown[] {
  const left = indexItems(list, live);
  const right = indexItems(list, applied);
  const liveOf = new Map<string, unknown>();
  for (const { element, value } of left) liveOf.set(element, liveOf.has(element) ? undefined : value);
  const appliedOf = new Map(right.map(({ element, value }) => [element, value]));
  const shared = right.filter(({ element }) => liveOf.has(element)).map(({ element }) => element);
  const out: unknown[] = [];
  const merged = new Set<string>();
  let l = 0;
  let r = 0;
  const take = (item: Item): void => {
    merged.add(item.element);
    out.push(mergeValues(list.element, liveOf.get(item.element), item.value));
    r += 1;
    if (shared[0] === item.element) shared.shift();
  };
  for (;;) {
    const here = left[l];
    const there = right[r];
    if (!here && !there) return out;
    if (here && there) {
      if (here.element === there.element) {
        take(there);
        l += 1;
        continue;
      }
      if (appliedOf.has(here.element) && shared.length > 0 && shared[0] !== here.element) {
        l += 1;
        continue;
      }
    }
    if (here && !appliedOf.has(here.element)) {
      out.push(here.value);
      l += 1;
      continue;
    }
    if (here && merged.has(here.element)) l += 1;
    if (there) take(there);
  }
}
