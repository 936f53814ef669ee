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
}

/** Where a walk stands in the three sets; nodes are made only when something is noted. */
interface Place {
  readonly up: Place | undefined;
  readonly element: string;
}

/** Absent is undefined; null is a value. */
type Side = unknown;

/** typed/compare.go */
export function compareValues(atom: Atom, before: unknown, after: unknown): Comparison {
  const result = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() };
  walk(atom, before, after, undefined, result);
  return result;
}

function note(set: FieldSet, place: Place | undefined): void {
  const path: string[] = [];
  for (let here = place; here; here = here.up) path.push(here.element);
  if (path.length) set.insert(path.reverse());
}

function walk(atom: Atom, before: Side, after: Side, place: Place | undefined, result: Comparison): void {
  if (before === after) return;
  const left = shapeOf(atom, before);
  const right = shapeOf(atom, after);
  let leaf = false;
  if (after === undefined) leaf = visit(left, before, after, place, result);
  else if (before === undefined || left.kind === right.kind)
    leaf = visit(right, before, after, place, result);
  else {
    visit(left, before, after, place, result);
    leaf = visit(right, before, after, place, result);
  }
  if (leaf) return;
  if (before === undefined) note(result.added, place);
  else if (after === undefined) note(result.removed, place);
}

/** Whether the value was compared as one. */
function visit(
  shape: Shape,
  before: Side,
  after: Side,
  place: Place | undefined,
  result: Comparison,
): boolean {
  const whole =
    shape.kind === "scalar" ||
    (shape.kind === "list" && (shape.list.atomic || (isEmptyList(before) && isEmptyList(after)))) ||
    (shape.kind === "map" && (shape.map.atomic || (isEmptyMap(before) && isEmptyMap(after))));
  if (whole) {
    if (before === undefined) note(result.added, place);
    else if (after === undefined) note(result.removed, place);
    else if (!sameJson(before, after)) note(result.modified, place);
    return true;
  }
  if (shape.kind === "list") visitItems(shape.list, before, after, place, result);
  else if (shape.kind === "map") visitFields(shape.map, before, after, place, result);
  return false;
}

function visitFields(
  map: MapAtom,
  before: Side,
  after: Side,
  place: Place | undefined,
  result: Comparison,
): void {
  const left = isObject(before) ? before : {};
  const right = isObject(after) ? after : {};
  for (const key in left) {
    const field = map.field(key);
    if (field) walk(field, left[key], right[key], { up: place, element: `f:${key}` }, result);
  }
  for (const key in right) {
    const field = left[key] === undefined ? map.field(key) : undefined;
    if (field) walk(field, undefined, right[key], { up: place, element: `f:${key}` }, result);
  }
}

function visitItems(
  list: ListAtom,
  before: Side,
  after: Side,
  place: Place | undefined,
  result: Comparison,
): void {
  const left = byElement(list, before);
  const right = byElement(list, after);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const old = left.get(element) ?? [];
    const now = right.get(element) ?? [];
    const here: Place = { up: place, element };
    if (old.length <= 1 && now.length <= 1) walk(list.element, old[0], now[0], here, result);
    else if (old.length >= 2 && now.length >= 2) {
      if (!sameJson(old, now)) note(result.modified, here);
    } else if (old.length >= 2) {
      if (now.length) walk(list.element, undefined, now[0], here, result);
      note(result.removed, here);
    } else {
      if (old.length) walk(list.element, old[0], undefined, here, result);
      note(result.added, here);
    }
  }
}

function byElement(list: ListAtom, value: unknown): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  if (!Array.isArray(value)) return found;
  for (const item of value) {
    const element = elementOf(list, item);
    if (typeof element !== "string") continue;
    const same = found.get(element);
    if (same) same.push(item);
    else found.set(element, [item]);
  }
  return found;
}
