import type { CrdNames } from "../registry/crd-resources.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import { aggregate } from "../security/rbac.ts";
import type { KubeObject } from "../types.ts";

export interface NamesVerdict {
  /** status.acceptedNames */
  accepted: JsonObject;
  /** Why not all are accepted; undefined where they are. */
  conflict: { reason: string; message: string } | undefined;
}

/** apiextensions-apiserver pkg/controller/status/naming_controller.go calculateNamesAndConditions */
export function decideNames(
  wanted: CrdNames,
  accepted: JsonObject,
  others: readonly KubeObject[],
): NamesVerdict {
  const held = others.map((other) => objectAt(other, "status", "acceptedNames")).filter(isObject);
  const words = new Set(
    held.flatMap((names) => [textAt(names, "plural"), textAt(names, "singular"), ...shortNamesOf(names)]),
  );
  const kinds = new Set(held.flatMap((names) => [textAt(names, "kind"), textAt(names, "listKind")]));
  const next: JsonObject = { ...accepted };
  let conflict: NamesVerdict["conflict"];
  const settle = (field: string, [value, taken]: [string, ReadonlySet<string>]): void => {
    if (value === textAt(accepted, field) || !taken.has(value)) next[field] = value;
    else conflict = { reason: `${field[0]?.toUpperCase()}${field.slice(1)}Conflict`, message: inUse(value) };
  };
  settle("plural", [wanted.plural, words]);
  settle("singular", [wanted.singular, words]);
  const own = shortNamesOf(accepted);
  const refused = wanted.shortNames.filter((name) => !own.includes(name) && words.has(name));
  if (refused.length === 0) next.shortNames = wanted.shortNames;
  else conflict = { reason: "ShortNamesConflict", message: aggregate(refused.map(inUse)) };
  settle("kind", [wanted.kind, kinds]);
  settle("listKind", [wanted.listKind, kinds]);
  next.categories = wanted.categories;
  return { accepted: compact(next), conflict };
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function shortNamesOf(names: JsonObject): string[] {
  return listAt(names, "shortNames").map(String);
}

/** Go's struct: plural and kind always, the others where there is something. */
function compact({ plural = "", kind = "", ...others }: JsonObject): JsonObject {
  const filled = Object.entries(others).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : Boolean(value),
  );
  return { plural, kind, ...Object.fromEntries(filled) };
}
