import { stringifyJson } from "@capstan/formats";
import { ApiError } from "../../types.ts";
import { isObject, type JsonObject, sortedKeys } from "../json.ts";
import type { ResolvedSchema } from "../resolved-schema.ts";
import { byPresence, type Identity, inOrder, orderAs } from "./element-order.ts";

const directive = "$patch";
const retainKeys = "$retainKeys";
const orderPrefix = "$setElementOrder/";
const deletePrefix = "$deleteFromPrimitiveList/";

type Node = ResolvedSchema | undefined;

/** Kubernetes' own patch: apimachinery/pkg/util/strategicpatch, with all of its directives. */
export function strategicMergePatch(schema: ResolvedSchema, document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw bad("a strategic merge patch must be an object");
  return mergeMap(schema, isObject(document) ? document : {}, patch);
}

function bad(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

/** Mistakes that kube-apiserver has no better answer for than the bare text. */
function unreadable(message: string): ApiError {
  return new ApiError(500, "", message);
}

/** A value as Go's %v prints it. */
function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key])}`);
  return `map[${members.join(" ")}]`;
}

function withoutKey(item: unknown, key: string): ApiError {
  return unreadable(`map: ${goValue(item)} does not contain declared merge key: ${key}`);
}

function mergeMap(schema: Node, original: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, directive)) return byDirective(patch);
  const out = retained(original, patch);
  const done = new Set<string>([retainKeys]);
  for (const key of Object.keys(patch))
    if (key.startsWith(orderPrefix))
      orderField({ schema, out, patch, name: key.slice(orderPrefix.length), done });
  for (const [key, value] of Object.entries(patch)) {
    if (done.has(key) || key.startsWith(orderPrefix) || key === "__proto__") continue;
    if (key.startsWith(deletePrefix)) deleteItems(out, key.slice(deletePrefix.length), value);
    else if (value === null) delete out[key];
    else {
      const merged = mergeField(schema?.field(key), out[key], value);
      if (merged !== undefined) out[key] = merged;
    }
  }
  return out;
}

function byDirective(patch: JsonObject): JsonObject {
  const { [directive]: how, ...rest } = patch;
  if (how === "replace") return withoutDirectives(rest);
  if (how === "delete") return {};
  throw unreadable(`unknown patch type: ${goValue(how)} in map: ${goValue(patch)}`);
}

function retained(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, retainKeys)) return { ...original };
  const keep = patch[retainKeys];
  if (!Array.isArray(keep)) throw bad("invalid patch format of retainKeys: expected a list");
  const stray = Object.keys(patch).find(
    (key) => !key.startsWith("$") && patch[key] !== null && !keep.includes(key),
  );
  if (stray) throw bad(`invalid patch format of retainKeys: ${stray} is patched but not retained`);
  return Object.fromEntries(Object.entries(original).filter(([key]) => keep.includes(key)));
}

function mergeField(schema: Node, original: unknown, value: unknown): unknown {
  if (isObject(value)) {
    if (original === undefined) return adopted(value);
    if (!isObject(original)) return mergeMap(schema, {}, value);
    return strategyOf(schema).replace ? withoutDirectives(value) : mergeMap(schema, original, value);
  }
  if (!Array.isArray(value)) return value;
  if (original === undefined) return adopted(value);
  if (!strategyOf(schema).merge) return value.map(withoutDirectivesIn);
  return mergeList(schema, Array.isArray(original) ? original : [], value);
}

function strategyOf(schema: Node): { merge: boolean; replace: boolean; key: string } {
  const strategies = (schema?.schema["x-kubernetes-patch-strategy"] ?? "").split(",");
  return {
    merge: strategies.includes("merge"),
    replace: strategies.includes("replace"),
    key: schema?.schema["x-kubernetes-patch-merge-key"] ?? "",
  };
}

/** Of items by their merge key, or as a whole where there is none. */
function identityBy(key: string): Identity {
  if (key === "") return identityOf;
  return (item) => (isObject(item) ? identityOf(item[key]) : undefined);
}

function identityOf(value: unknown): string {
  return value === undefined ? "" : stringifyJson(sortedKeys(value));
}

function mergeList(schema: Node, original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const { key } = strategyOf(schema);
  const identity = identityBy(key);
  const merged = mergeItems(schema, original, patch);
  const order = patch.filter((item) => !isObject(item) || item[directive] === undefined);
  const { present, absent } = byPresence(merged, order, identity);
  return orderAs({
    patched: inOrder(present, order, identity),
    others: inOrder(absent, original, identity),
    live: original,
    identity,
  });
}

function mergeItems(schema: Node, original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const { key } = strategyOf(schema);
  const sample = original[0] ?? patch[0];
  if (!isObject(sample)) {
    const out = new Map<string, unknown>();
    for (const item of [...original, ...patch])
      if (!out.has(identityOf(item))) out.set(identityOf(item), item);
    return [...out.values()];
  }
  if (key === "") throw bad("cannot merge lists without merge key");
  const { kept, plain } = specialItems(key, original, patch);
  const places = new Map<string, number>();
  for (const [index, item] of kept.entries()) takePlace(places, identityBy(key)(item), index);
  for (const item of plain) {
    if (!isObject(item) || item[key] === undefined) throw withoutKey(item, key);
    const id = identityOf(item[key]);
    const at = places.get(id) ?? kept.length;
    const known = kept[at];
    kept[at] = mergeMap(schema?.items, isObject(known) ? known : {}, item);
    takePlace(places, id, at);
  }
  return kept;
}

function takePlace(places: Map<string, number>, id: string | undefined, index: number): void {
  if (id !== undefined && !places.has(id)) places.set(id, index);
}

/** Items that say "$patch": delete takes away its match, replace takes away all others. */
function specialItems(
  key: string,
  original: readonly unknown[],
  patch: readonly unknown[],
): { kept: unknown[]; plain: unknown[] } {
  const deleted = new Set<string>();
  let isReplaced = false;
  const plain: unknown[] = [];
  for (const item of patch) {
    const how = isObject(item) ? item[directive] : undefined;
    if (how === undefined) plain.push(item);
    else if (how === "replace") isReplaced = true;
    else if (how !== "delete")
      throw unreadable(`unknown patch type: ${goValue(how)} in map: ${goValue(item)}`);
    else if (!isObject(item) || item[key] === undefined) throw withoutKey(item, key);
    else deleted.add(identityOf(item[key]));
  }
  // Not merged with each other: two items may have one key, as a port for TCP and for UDP.
  if (isReplaced) return { kept: plain, plain: [] };
  const isKept = (item: unknown): boolean => !deleted.has(identityBy(key)(item) ?? "none");
  return { kept: original.filter(isKept), plain };
}

function deleteItems(out: JsonObject, name: string, values: unknown): void {
  const list = out[name];
  if (!Array.isArray(values)) throw bad(`invalid patch format of primitive list: ${deletePrefix}${name}`);
  const deleted = new Set(values.map(identityOf));
  if (Array.isArray(list)) out[name] = list.filter((item) => !deleted.has(identityOf(item)));
}

interface Ordering {
  schema: Node;
  out: JsonObject;
  patch: JsonObject;
  name: string;
  done: Set<string>;
}

/** "$setElementOrder/ports": merges the list, if it is patched at all, and brings it into the order given. */
function orderField({ schema, out, patch, name, done }: Ordering): void {
  const order = patch[`${orderPrefix}${name}`];
  if (!Array.isArray(order)) throw bad(`invalid patch format of setElementOrder list: ${name}`);
  const deletions = patch[`${deletePrefix}${name}`];
  if (deletions !== undefined) deleteItems(out, name, deletions);
  done.add(name).add(`${deletePrefix}${name}`);
  if (patch[name] === null) delete out[name];
  const field = schema?.field(name);
  const live = Array.isArray(out[name]) ? out[name] : [];
  const change = Array.isArray(patch[name]) ? patch[name] : undefined;
  if (!change && !Array.isArray(out[name])) return;
  const merged = change ? mergeItems(field, live, change) : live;
  const identity = identityBy(strategyOf(field).key);
  const { present, absent } = byPresence(merged, order, identity);
  out[name] = orderAs({
    patched: inOrder(present, order, identity),
    others: inOrder(absent, live, identity),
    live,
    identity,
  });
}

/** Where there was nothing, the patch is taken as it is, but for what is an order to the merge. */
function adopted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(adopted).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const entries = Object.entries(value).map(([key, item]) => [key, adopted(item)] as const);
  return Object.fromEntries(
    entries.filter(([key, item]) => !key.startsWith("$") && item !== undefined && item !== null),
  );
}

function withoutDirectives(value: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value))
    if (!key.startsWith("$") && item !== null) out[key] = withoutDirectivesIn(item);
  return out;
}

function withoutDirectivesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectivesIn);
  return isObject(value) ? withoutDirectives(value) : value;
}
