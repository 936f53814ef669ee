import { canonicalJson, equalJson, isRecord } from "@capstan/formats";
import type { PatchField, PatchType } from "../client/patch-types.ts";

type Fields = { [name: string]: unknown };

/** What was applied last, what shall be, and what is there. */
export interface ThreeWays<Value = Fields> {
  original: Value | undefined;
  wanted: Value;
  live: Value;
}

/**
 * The JSON merge patch that brings the live object to what is wanted: what the last apply had and this one has no
 * more goes, what others added stays, lists are replaced (apimachinery pkg/util/jsonmergepatch
 * CreateThreeWayJSONMergePatch). What is not there is not deleted again.
 */
export function jsonMergePatch(ways: ThreeWays): Fields {
  return mapPatch(undefined, ways, false);
}

/**
 * The same as a strategic merge patch, with the lists merged item by item whose type says so (apimachinery
 * pkg/util/strategicpatch CreateThreeWayMergePatch).
 */
export function strategicMergePatch(type: PatchType, ways: ThreeWays): Fields {
  return mapPatch(type, ways, false);
}

function mapPatch(
  type: PatchType | undefined,
  { original = {}, wanted, live }: ThreeWays,
  retains: boolean,
): Fields {
  const patch: Fields = {};
  for (const [name, value] of Object.entries(wanted)) {
    const field = type?.field(name);
    const ways = { original: at(original, name), wanted: value, live: at(live, name) };
    Object.assign(patch, valuePatch(name, field, ways));
  }
  for (const name of Object.keys(original))
    if (isAbsent(at(wanted, name)) && !isAbsent(at(live, name))) patch[name] = null;
  const kept = Object.keys(wanted).filter((name) => !isAbsent(wanted[name]));
  const hasMore = Object.keys(live).some((name) => !isAbsent(live[name]) && !Object.hasOwn(wanted, name));
  // One of several kinds of a union, such as the sources of a volume: what is not named goes.
  if (retains && kept.length > 0 && (hasMore || Object.keys(patch).length > 0))
    patch.$retainKeys = kept.sort();
  return patch;
}

/** A key of a ConfigMap may be called as what every object inherits. */
function at(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function valuePatch(
  name: string,
  field: PatchField | undefined,
  { original, wanted, live }: ThreeWays<unknown>,
): Fields {
  if (isAbsent(wanted)) return isAbsent(live) ? {} : { [name]: null };
  const strategies = field?.strategies ?? [];
  if (isRecord(wanted) && isRecord(live) && !strategies.includes("replace")) {
    const ways = { original: isRecord(original) ? original : undefined, wanted, live };
    const patch = mapPatch(field?.type, ways, strategies.includes("retainKeys"));
    return Object.keys(patch).length > 0 ? { [name]: patch } : {};
  }
  if (Array.isArray(wanted) && Array.isArray(live) && field && strategies.includes("merge")) {
    const ways = { original: Array.isArray(original) ? original : undefined, wanted, live };
    return field.mergeKey === undefined
      ? membersPatch(name, ways)
      : itemsPatch(name, { ...field, mergeKey: field.mergeKey }, ways);
  }
  return equalJson(wanted, live) ? {} : { [name]: wanted };
}

type Lists = ThreeWays<readonly unknown[]>;

/** A list of plain values that is merged as a set, such as finalizers. */
function membersPatch(name: string, { original = [], wanted, live }: Lists): Fields {
  const textsOf = (list: readonly unknown[]) => new Set(list.map((value) => canonicalJson(value)));
  const [want, there] = [textsOf(wanted), textsOf(live)];
  const added = wanted.filter((value) => !there.has(canonicalJson(value)));
  const removed = original.filter((value) => {
    const text = canonicalJson(value);
    return there.has(text) && !want.has(text);
  });
  if (added.length + removed.length === 0) return {};
  return {
    ...(added.length > 0 ? { [name]: added } : {}),
    ...(removed.length > 0 ? { [`$deleteFromPrimitiveList/${name}`]: removed } : {}),
    [`$setElementOrder/${name}`]: wanted,
  };
}

type KeyedField = PatchField & { mergeKey: string };

/** A list of objects that are told apart by one of their fields. */
function itemsPatch(name: string, field: KeyedField, { original = [], wanted, live }: Lists): Fields {
  const { mergeKey } = field;
  const [before, want, there] = [original, wanted, live].map((list) => itemsByKey(list, mergeKey));
  // The same key twice, as of a port for TCP and UDP: the API server would merge one into the other.
  if (!want || !there) return equalJson(wanted, live) ? {} : { [name]: [...wanted, { $patch: "replace" }] };
  const changes: Fields[] = [];
  for (const [key, { item }] of want) {
    const found = there.get(key)?.item;
    const change = found
      ? mapPatch(
          field.type,
          { original: before?.get(key)?.item, wanted: item, live: found },
          field.strategies.includes("retainKeys"),
        )
      : item;
    if (Object.keys(change).length > 0) changes.push({ [mergeKey]: item[mergeKey], ...change });
  }
  for (const [key, { item }] of before ?? [])
    if (!want.has(key) && there.has(key)) changes.push({ $patch: "delete", [mergeKey]: item[mergeKey] });
  if (changes.length === 0 && isInOrder([...want.keys()], there)) return {};
  return {
    ...(changes.length > 0 ? { [name]: changes } : {}),
    [`$setElementOrder/${name}`]: [...want.values()].map(({ item }) => ({ [mergeKey]: item[mergeKey] })),
  };
}

type ItemsByKey = ReadonlyMap<string, { item: Fields; at: number }>;

/** Nothing where a key is missing or stands twice. */
function itemsByKey(list: readonly unknown[], mergeKey: string): ItemsByKey | undefined {
  const items = new Map<string, { item: Fields; at: number }>();
  for (const [at, item] of list.entries()) {
    const key = isRecord(item) ? item[mergeKey] : undefined;
    if (!isRecord(item) || isAbsent(key) || items.has(String(key))) return undefined;
    items.set(String(key), { item, at });
  }
  return items;
}

function isInOrder(keys: readonly string[], there: ItemsByKey): boolean {
  const places = keys.map((key) => there.get(key)?.at ?? -1);
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1));
}
