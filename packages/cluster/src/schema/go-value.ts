import { canonicalQuantity } from "@capstan/formats";
import { goTypes } from "./go-types.ts";
import { isObject, type JsonObject, sameJson, sortedKeys } from "./json.ts";
import { unifiedDiff } from "./line-diff.ts";

/**
 * A value as kube-apiserver prints it where a message shows its own types: Go's field names in Go's order, with all
 * that is absent. `type` is a struct of data/go-types.json, "core.PodSpec", or what its fields are written in.
 */
export function goValue(type: string, value: unknown): unknown {
  const absent = value === undefined || value === null;
  if (type.startsWith("*")) return absent ? null : goValue(type.slice(1), value);
  if (type.startsWith("[]byte")) return absent || value === "" ? null : value;
  if (type.startsWith("[]"))
    return Array.isArray(value) ? value.map((item) => goValue(type.slice(2), item)) : null;
  if (type.startsWith("{}")) return isObject(value) ? goMap(type.slice(2), value) : null;
  const fields = goTypes().structs[type];
  if (fields !== undefined) return goStruct(type, fields, isObject(value) ? value : {});
  return absent ? zeros[type] : plain(type, value);
}

const zeros: Readonly<Record<string, unknown>> = {
  string: "",
  int: 0,
  bool: false,
  quantity: "0",
  port: 0,
  time: null,
  json: {},
};

function plain(type: string, value: unknown): unknown {
  if (type === "quantity") return canonicalQuantity(`${value}`) ?? value;
  if (type !== "json") return value;
  return isObject(value) ? goSelector(value) : value;
}

function goMap(type: string, value: JsonObject): JsonObject {
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, goValue(type, value[key])]));
}

/** metav1.LabelSelector keeps its JSON names, and its own order of fields. */
export function goSelector(value: unknown): unknown {
  return ordered(["matchLabels", "matchExpressions", "key", "operator", "values"], sortedKeys(value));
}

function ordered(first: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => ordered(first, item));
  if (!isObject(value)) return value;
  const known = first.filter((key) => key in value);
  const keys = [...known, ...Object.keys(value).filter((key) => !first.includes(key))];
  return Object.fromEntries(
    keys.map((key) => [key, key === "matchLabels" ? value[key] : ordered(first, value[key])]),
  );
}

/** Names in JSON that are not the Go name in another case. */
const otherNames: Readonly<Record<string, string>> = { DataDiskURI: "diskuri" };

/** What the API server holds within the security context of a Pod and people write beside it. */
const ofThePod = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

const metadataOrder = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
];

function goStruct(type: string, fields: Readonly<Record<string, string>>, value: JsonObject): JsonObject {
  const known = new Map(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]));
  if (type === "core.PodSpec") known.set("securitycontext", podSecurity(value));
  const printed: JsonObject = {};
  for (const [name, of] of Object.entries(fields)) {
    if (name === "ObjectMeta") Object.assign(printed, ordered(metadataOrder, sortedKeys(value.metadata)));
    else printed[name] = goValue(of, known.get(otherNames[name] ?? name.toLowerCase()));
  }
  return printed;
}

function podSecurity(spec: JsonObject): JsonObject {
  const moved = Object.fromEntries(ofThePod.filter((name) => name in spec).map((name) => [name, spec[name]]));
  return { ...moved, ...(isObject(spec.securityContext) && spec.securityContext) };
}

/** How two values differ, as kube-apiserver tells it; empty where they do not. */
export function goDiff(type: string, before: unknown, after: unknown): string {
  if (sameJson(before, after)) return "";
  const [old, now] = [goValue(type, before), goValue(type, after)];
  if (sameJson(withoutEmpty(old), withoutEmpty(now))) return "";
  return unifiedDiff(JSON.stringify(old, undefined, 1), JSON.stringify(now, undefined, 1));
}

/** To Go's Semantic.DeepEqual an empty list or map is none. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutEmpty(item)]));
}
