import type { KubeObject } from "../types.ts";
import { objectMetaSchema } from "./catalog.ts";
import { isKubeObject, isObject, type JsonObject } from "./json.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export interface Pruned {
  object: KubeObject;
  /** Paths of what was dropped, "spec.foo", "spec.containers[0].bar", as warnings and strict errors print them. */
  unknown: string[];
}

/**
 * Drops fields that the schema does not have: Go's decoder for built-in kinds, structural pruning for custom ones. What
 * stands at the same place in `fits` has none.
 */
export function pruneUnknown(schema: ResolvedSchema, object: KubeObject, fits?: KubeObject): Pruned {
  const unknown: string[] = [];
  const pruned = prune(schema, object, { path: "", unknown, fits });
  return { object: isKubeObject(pruned) ? pruned : object, unknown };
}

interface Walk {
  path: string;
  unknown: string[];
  fits?: unknown;
}

/** Returns the value itself where nothing was dropped. */
function prune(schema: ResolvedSchema, value: unknown, walk: Walk): unknown {
  if (typeof value === "object" && value === walk.fits) return value;
  if (Array.isArray(value)) return pruneItems(schema, value, walk);
  // A float64 of a Go type; what has no Go type stays as exact as an int64 is.
  if (typeof value === "bigint") return !schema.custom && schema.type === "number" ? Number(value) : value;
  if (!isObject(value)) return value;
  if (schema.custom && schema.schema["x-kubernetes-embedded-resource"] === true)
    return pruneEmbedded(schema, value, walk);
  return pruneFields(schema, value, walk);
}

function pruneItems(schema: ResolvedSchema, items: readonly unknown[], walk: Walk): unknown {
  const below = schema.items;
  if (!below) return items;
  let changed = false;
  const out = items.map((item, index) => {
    const kept = prune(below, item, { unknown: walk.unknown, path: `${walk.path}[${index}]` });
    changed ||= kept !== item;
    return kept;
  });
  return changed ? out : items;
}

function pruneFields(schema: ResolvedSchema, value: JsonObject, walk: Walk): JsonObject {
  const keepsAll = keepsUnknown(schema);
  const fits = isObject(walk.fits) ? walk.fits : undefined;
  let out: JsonObject = value;
  for (const [key, item] of Object.entries(value)) {
    const below = schema.field(key);
    const path = walk.path ? `${walk.path}.${key}` : key;
    if (!below) {
      if (keepsAll) continue;
      walk.unknown.push(path);
      if (out === value) out = { ...value };
      delete out[key];
      continue;
    }
    if (item === null || (typeof item !== "object" && typeof item !== "bigint")) continue;
    const kept = prune(below, item, { unknown: walk.unknown, path, fits: fits?.[key] });
    if (kept === item) continue;
    if (out === value) out = { ...value };
    out[key] = kept;
  }
  return out;
}

/** apiVersion, kind and metadata belong to an embedded object whatever its schema says. */
function pruneEmbedded(schema: ResolvedSchema, value: JsonObject, walk: Walk): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = value;
  const pruned = pruneFields(schema, rest, { ...walk, fits: undefined });
  const path = walk.path ? `${walk.path}.metadata` : "metadata";
  const kept = isObject(metadata)
    ? pruneFields(objectMetaSchema(), metadata, { unknown: walk.unknown, path })
    : metadata;
  if (pruned === rest && kept === metadata) return value;
  const head = Object.entries({ apiVersion, kind, metadata: kept }).filter(([, item]) => item !== undefined);
  return { ...Object.fromEntries(head), ...pruned };
}

function keepsUnknown(schema: ResolvedSchema): boolean {
  const { schema: keywords } = schema;
  if (keywords.additionalProperties === true) return true;
  if (schema.custom) return keywords["x-kubernetes-preserve-unknown-fields"] === true;
  return keywords.properties === undefined;
}
