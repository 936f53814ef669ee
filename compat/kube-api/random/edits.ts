import fc, { type Arbitrary } from "fast-check";
import { isObject, type Json, type JsonObject } from "../script.ts";
import { hintFor } from "./hints.ts";
import { fieldsOf, type Schemas } from "./schemas.ts";
import { valueFor } from "./values.ts";

export type Path = readonly (string | number)[];

/** One place of an object with a new value; undefined takes it away. */
export interface Edit {
  readonly path: Path;
  readonly value: Json | undefined;
}

interface Place {
  node: JsonObject;
  /** What the object has there before. */
  now: Json | undefined;
  path: Path;
}

const brokenValues: readonly Json[] = [
  "x",
  "A_",
  "",
  -1,
  70000,
  1.5,
  true,
  null,
  {},
  [],
  ["x"],
  { strange: 1 },
];
const objectFields = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Edits of what the kind itself defines: everything, or the status, but no metadata. */
export function contentEdits(schemas: Schemas, root: JsonObject, base: JsonObject): Arbitrary<Edit> {
  const names = fieldsOf(root).filter((name) => !objectFields.has(name));
  if (names.length === 0) return metadataEdits;
  return pick(names).chain((name) => fieldEdit(schemas, { node: root, now: base, path: [] }, name));
}

export function statusEdits(schemas: Schemas, root: JsonObject, base: JsonObject): Arbitrary<Edit> {
  if (!fieldsOf(root).includes("status")) return metadataEdits;
  return fieldEdit(schemas, { node: root, now: base, path: [] }, "status");
}

const metadata = (key: string, ...values: readonly (Json | undefined)[]): Arbitrary<Edit> =>
  fc.constantFrom(...values).map((value) => ({ path: ["metadata", key], value }));

export const metadataEdits: Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom("labels", "annotations"),
        fc.constantFrom("a", "b"),
        fc.constantFrom("1", "2", "", undefined),
      )
      .map(([map, key, value]) => ({ path: ["metadata", map, key], value })),
  },
  {
    weight: 2,
    arbitrary: metadata("finalizers", ["example.com/a"], ["example.com/b", "example.com/a"], [], undefined),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      metadata("labels", null, {}, "x", { a: 1 }, { "a b": "c" }, { a: null }),
      metadata("annotations", null, {}, { a: true }, { "A/b/c": "1" }),
      metadata("managedFields", [], [{}], null),
      metadata("uid", "", "11111111-1111-1111-1111-111111111111"),
      metadata("resourceVersion", "", "0", "7", "x"),
      metadata("generation", 7, 0, -1),
      metadata("creationTimestamp", null, "2020-01-01T00:00:00Z", "x"),
      metadata("deletionTimestamp", null, "2020-01-01T00:00:00Z"),
      metadata("deletionGracePeriodSeconds", 5),
      metadata("selfLink", "/x"),
      metadata("generateName", "a-"),
      metadata("namespace", "elsewhere", ""),
      metadata("strange", 1),
    ),
  },
);

/** Values shrink; where they stand does not. */
function pick<T>(choices: readonly T[]): Arbitrary<T> {
  return fc.noShrink(fc.constantFrom(...choices));
}

function fieldEdit(schemas: Schemas, { node, now, path }: Place, name: string): Arbitrary<Edit> {
  const below = schemas.below(node, name) ?? {};
  const place = { node: below, now: isObject(now) ? now[name] : undefined, path: [...path, name] };
  const hint = hintFor(node, name, below);
  if (hint !== undefined) return fc.oneof({ weight: 9, arbitrary: at(place, hint) }, odd(place));
  return edit(schemas, place);
}

function edit(schemas: Schemas, place: Place): Arbitrary<Edit> {
  const here = at(place, valueFor(schemas, place.node));
  const deeper = deeperEdit(schemas, place);
  if (deeper === undefined) return fc.oneof({ weight: 12, arbitrary: here }, odd(place));
  return fc.oneof({ weight: 20, arbitrary: deeper }, { weight: 3, arbitrary: here }, odd(place));
}

/** Where the object has something already, mostly something inside of it changes. */
function deeperEdit(schemas: Schemas, place: Place): Arbitrary<Edit> | undefined {
  const { node, now, path } = place;
  if (Array.isArray(now) && now.length > 0) {
    const items = schemas.below(node, 0);
    if (items === undefined) return undefined;
    const inside = edit(schemas, { node: items, now: now[0], path: [...path, 0] });
    const added = valueFor(schemas, items).map((value) => ({ path: [...path, now.length], value }));
    return fc.oneof({ weight: 3, arbitrary: inside }, { weight: 1, arbitrary: added });
  }
  if (!isObject(now)) return undefined;
  const names = fieldsOf(node);
  if (names.length > 0) return pick(names).chain((name) => fieldEdit(schemas, place, name));
  if (!isObject(node.additionalProperties)) return undefined;
  return fc.constantFrom("a", "b", ...Object.keys(now)).chain((name) => fieldEdit(schemas, place, name));
}

const at = ({ path }: Place, values: Arbitrary<Json>): Arbitrary<Edit> =>
  values.map((value) => ({ path, value }));

/** Taken away, or of a kind that the schema does not allow. */
function odd({ path, now }: Place): { weight: number; arbitrary: Arbitrary<Edit> } {
  const broken = fc.constantFrom(...brokenValues).map((value) => ({ path, value }));
  const gone = fc.constant<Edit>({ path, value: undefined });
  return { weight: 1, arbitrary: now === undefined ? broken : fc.oneof(gone, broken) };
}

/** The object with all edits made; one that meets something it cannot enter replaces it. */
export function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  let result: Json = object;
  for (const { path, value } of edits) result = setAt(result, path, value);
  return isObject(result) ? result : object;
}

function setAt(now: Json | undefined, path: Path, value: Json | undefined): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  if (typeof key === "number") return setItem(Array.isArray(now) ? now : [], path, value);
  const { [key]: before, ...others } = isObject(now) ? now : {};
  if (rest.length === 0 && value === undefined) return others;
  return { ...(isObject(now) ? now : {}), [key]: setAt(before, rest, value) };
}

function setItem(list: readonly Json[], path: Path, value: Json | undefined): Json {
  const [key, ...rest] = path;
  const index = Math.min(Number(key), list.length);
  const items = [...list];
  if (rest.length === 0 && value === undefined) items.splice(index, 1);
  else items[index] = setAt(list[index], rest, value);
  return items;
}
