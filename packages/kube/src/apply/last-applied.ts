import { canonicalJson, isRecord, KeyIndex, parseBoundedJson, parseJson } from "@capstan/formats";
import { annotationKeys, fieldManager, type ManagedFieldsEntry, type Manifest } from "@capstan/model";

type Fields = { [name: string]: unknown };

/** The object with itself in an annotation, to the byte as kubectl writes it (kubectl pkg/util/apply.go). */
export function withLastApplied(object: Manifest): Manifest {
  const { [annotationKeys.lastApplied]: _, ...annotations } = object.metadata.annotations ?? {};
  const bare = { ...object, metadata: { ...object.metadata, annotations } };
  const text = `${goJson(bare)}\n`;
  return {
    ...bare,
    metadata: { ...bare.metadata, annotations: { ...annotations, [annotationKeys.lastApplied]: text } },
  };
}

/** encoding/json: keys sorted, and what HTML and JavaScript would trip over is escaped. */
function goJson(value: unknown): string {
  return canonicalJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * What was applied last: as the annotation tells, or, where we applied server-side until now, what we own of the live
 * object. Nothing is known of an object that somebody made by other means.
 */
export function readLastApplied(live: Manifest): Manifest | undefined {
  const ours = live.metadata.managedFields?.find(isOurApply);
  if (ours?.fieldsV1) {
    const owned = ownedPart(live, ours.fieldsV1);
    return ofKind(live, owned);
  }
  const text = live.metadata.annotations?.[annotationKeys.lastApplied];
  if (text === undefined) return undefined;
  try {
    const value = parseBoundedJson(text);
    return ofKind(live, value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // anyone may write this annotation
    throw error;
  }
}

function ofKind({ apiVersion, kind }: Manifest, value: unknown): Manifest | undefined {
  if (!isRecord(value)) return undefined;
  return { ...value, apiVersion, kind, metadata: isRecord(value.metadata) ? value.metadata : {} };
}

export function isOurApply({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === fieldManager && operation === "Apply" && !subresource;
}

/** The part of a value that a set of fields names (KEP-555 FieldsV1: "f:" a field, "k:" an item, "v:" a member). */
function ownedPart(value: unknown, set: Fields): unknown {
  if (Object.keys(set).length === 0) return value; // as a whole
  const parts = Object.entries(set).filter(([name]) => name !== ".");
  if (Array.isArray(value)) return ownedItems(value, parts);
  if (!isRecord(value)) return value;
  const owned: Fields = {};
  for (const [name, below] of parts) {
    const field = name.slice(2);
    if (name.startsWith("f:") && Object.hasOwn(value, field))
      owned[field] = ownedPart(value[field], isRecord(below) ? below : {});
  }
  return owned;
}

/** Of a short text nothing large can be made, and there may be many of them. */
const shortKey = 200;

function readKey(text: string): unknown {
  return text.length > shortKey ? parseBoundedJson(text) : parseJson(text);
}

/** Items and members in the order of the set; each is found by its key, since a list may be as long as an object. */
function ownedItems(list: readonly unknown[], parts: readonly [name: string, below: unknown][]): unknown[] {
  const items = new KeyIndex(list, (item) => item);
  const isSet = parts.some(([name]) => name.startsWith("v:"));
  const members = Map.groupBy(isSet ? list : [], (item) => canonicalJson(item));
  return parts.flatMap(([name, below]) => {
    const key: unknown = /^[kv]:/.test(name) ? readKey(name.slice(2)) : undefined;
    if (name.startsWith("v:")) return members.get(canonicalJson(key)) ?? [];
    if (!isRecord(key)) return [];
    const [item] = items.matching(Object.keys(key), key);
    if (item === undefined) return [];
    const owned = ownedPart(item, isRecord(below) ? below : {});
    return [isRecord(owned) ? { ...key, ...owned } : owned];
  });
}
