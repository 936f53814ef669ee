import { isObject, type Json, type JsonObject } from "../script.ts";
import { type Edit, edited, type Path } from "./edits.ts";
import { type Schemas, textsOf } from "./schemas.ts";

interface Change {
  schemas: Schemas;
  root: JsonObject;
  base: JsonObject;
  edits: readonly Edit[];
}

/** RFC 7396: lists go whole. */
export function mergePatch({ base, edits }: Change): JsonObject {
  const result = edited(base, edits);
  let patch: JsonObject = {};
  for (const { path, value } of edits) {
    const index = path.findIndex((key) => typeof key === "number");
    const place = index < 0 ? path : path.slice(0, index);
    const whole = index < 0 ? value : valueAt(result, place);
    patch = edited(patch, [{ path: place, value: whole ?? null }]);
  }
  return patch;
}

/** RFC 6902 */
export function jsonPatch({ base, edits }: Change): Json[] {
  const operations: Json[] = [];
  let object = base;
  for (const edit of edits) {
    const path = pointer(edit.path);
    const before = valueAt(object, edit.path);
    if (edit.value === undefined) operations.push({ op: "remove", path });
    else {
      operations.push(...missingParents(object, edit.path));
      const isSame = JSON.stringify(before) === JSON.stringify(edit.value);
      operations.push({
        op: isSame ? "test" : before === undefined ? "add" : "replace",
        path,
        value: edit.value,
      });
    }
    object = edited(object, [edit]);
  }
  return operations;
}

function missingParents(object: JsonObject, path: Path): Json[] {
  for (let length = 1; length < path.length; length += 1) {
    const parent = path.slice(0, length);
    if (valueAt(object, parent) !== undefined) continue;
    const value: Json = typeof path[length] === "number" ? [] : {};
    return [
      { op: "add", path: pointer(parent), value },
      ...missingParents(edited(object, [{ path: parent, value }]), path),
    ];
  }
  return [];
}

function pointer(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Items of lists that merge are named by their key; other lists go whole. */
export function strategicPatch(change: Change): JsonObject {
  return partial(change, { keysOf: mergeKey, gone: "null" });
}

/** As strategicPatch, for the lists of server-side apply; what is taken away is left out. */
export function appliedPart(change: Change): JsonObject {
  const keysOf = (node: JsonObject): string[] =>
    node["x-kubernetes-list-type"] === "map" ? textsOf(node["x-kubernetes-list-map-keys"]) : [];
  return partial(change, { keysOf, gone: "leave" });
}

function mergeKey(node: JsonObject): string[] {
  const key = node["x-kubernetes-patch-merge-key"];
  const merges = String(node["x-kubernetes-patch-strategy"] ?? "").includes("merge");
  return merges && typeof key === "string" ? [key] : [];
}

interface Style {
  keysOf(node: JsonObject): string[];
  gone: "null" | "leave";
}

function partial({ schemas, root, base, edits }: Change, style: Style): JsonObject {
  const result = edited(base, edits);
  let patch: Json = {};
  for (const { path, value } of edits) {
    if (value === undefined && style.gone === "leave") continue;
    const nest = (node: JsonObject, depth: number): Json => {
      const key = path[depth];
      if (key === undefined) return value ?? null;
      const below = schemas.below(node, key) ?? {};
      if (typeof key === "string") return { [key]: nest(below, depth + 1) };
      const place = path.slice(0, depth + 1);
      const item = valueAt(base, place) ?? valueAt(result, place);
      const keys = style.keysOf(node);
      if (keys.length === 0 || !isObject(item)) return valueAt(result, path.slice(0, depth)) ?? null;
      const named = Object.fromEntries(keys.filter((one) => one in item).map((one) => [one, item[one]]));
      if (depth === path.length - 1 && value === undefined) return [{ ...named, $patch: "delete" }];
      return [joined(named, nest(below, depth + 1))];
    };
    patch = joined(patch, nest(root, 0));
  }
  return isObject(patch) ? patch : {};
}

function joined(left: Json | undefined, right: Json): Json {
  if (!isObject(left) || !isObject(right)) return right;
  const entries = Object.entries(right).map(([key, value]) => [key, joined(left[key], value ?? null)]);
  return { ...left, ...Object.fromEntries(entries) };
}

export function valueAt(object: Json | undefined, path: Path): Json | undefined {
  let found = object;
  for (const key of path) {
    if (typeof key === "number") found = Array.isArray(found) ? found[key] : undefined;
    else found = isObject(found) ? found[key] : undefined;
  }
  return found;
}
