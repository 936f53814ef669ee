import { isObject, sameJson } from "../json.ts";
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
import { FieldSet } from "./field-set.ts";

export interface Comparison {
  removed: FieldSet;
  modified: FieldSet;
  added: FieldSet;
  /** False where an item of a list that is told apart by keys has none. */
  isNamed: boolean;
}

/** Where a walk stands; the root has no `up`. */
interface Place {
  readonly up: Place | undefined;
  readonly element: string;
  readonly result: Comparison;
}

/** Absent is undefined; null is a value. */
interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** typed/compare.go */
export function compareValues(atom: Atom, before: unknown, after: unknown): Comparison {
  const result = {
    removed: new FieldSet(),
    modified: new FieldSet(),
    added: new FieldSet(),
    isNamed: true,
  };
  walk(atom, { before, after }, { up: undefined, element: "", result });
  return result;
}

function note(place: Place, change: "removed" | "modified" | "added"): void {
  const path: string[] = [];
  for (let here = place; here.up; here = here.up) path.push(here.element);
  if (path.length) place.result[change].insert(path.reverse());
}

function walk(atom: Atom, pair: Pair, place: Place): void {
  const { before, after } = pair;
  if (before === after) return;
  const left = shapeOf(atom, before);
  const right = shapeOf(atom, after);
  let leaf = false;
  if (after === undefined) leaf = visit(left, pair, place);
  else if (before === undefined || left.kind === right.kind) leaf = visit(right, pair, place);
  else {
    visit(left, pair, place);
    leaf = visit(right, pair, place);
  }
  if (leaf) return;
  if (before === undefined) note(place, "added");
  else if (after === undefined) note(place, "removed");
}

/** Whether the value was compared as one. */
function visit(shape: Shape, pair: Pair, place: Place): boolean {
  const { before, after } = pair;
  const whole =
    shape.kind === "scalar" ||
    (shape.kind === "list" && (shape.list.atomic || (isEmptyList(before) && isEmptyList(after)))) ||
    (shape.kind === "map" && (shape.map.atomic || (isEmptyMap(before) && isEmptyMap(after))));
  if (whole) {
    if (before === undefined) note(place, "added");
    else if (after === undefined) note(place, "removed");
    else if (!sameJson(before, after)) note(place, "modified");
    return true;
  }
  if (shape.kind === "list") visitItems(shape.list, pair, place);
  else if (shape.kind === "map") visitFields(shape.map, pair, place);
  return false;
}

function visitFields(map: MapAtom, { before, after }: Pair, up: Place): void {
  const { result } = up;
  const left = isObject(before) ? before : {};
  const right = isObject(after) ? after : {};
  for (const key of Object.keys(left)) {
    const field = map.field(key);
    if (field) walk(field, { before: left[key], after: right[key] }, { up, element: `f:${key}`, result });
  }
  for (const key of Object.keys(right)) {
    const field = left[key] === undefined ? map.field(key) : undefined;
    if (field) walk(field, { before: undefined, after: right[key] }, { up, element: `f:${key}`, result });
  }
}

function visitItems(list: ListAtom, { before, after }: Pair, up: Place): void {
  const { result } = up;
  const left = byElement(list, before, result);
  const right = byElement(list, after, result);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const old = left.get(element) ?? [];
    const now = right.get(element) ?? [];
    const here: Place = { up, element, result };
    if (old.length <= 1 && now.length <= 1) walk(list.element, { before: old[0], after: now[0] }, here);
    else if (old.length >= 2 && now.length >= 2) {
      if (!sameJson(old, now)) note(here, "modified");
    } else if (old.length >= 2) {
      if (now.length) walk(list.element, { before: undefined, after: now[0] }, here);
      note(here, "removed");
    } else {
      if (old.length) walk(list.element, { before: old[0], after: undefined }, here);
      note(here, "added");
    }
  }
}

function byElement(list: ListAtom, value: unknown, result: Comparison): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  if (!Array.isArray(value)) return found;
  for (const item of value) {
    const element = elementOf(list, item);
    if (typeof element !== "string") {
      result.isNamed = false;
      continue;
    }
    const same = found.get(element);
    if (same) same.push(item);
    else found.set(element, [item]);
  }
  return found;
}
