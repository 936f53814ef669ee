import { isObject, type JsonObject } from "../json.ts";
import { type Atom, elementOf, shapeOf } from "./atom.ts";
import { FieldSet } from "./field-set.ts";

/** The value without the fields of a set: typed/remove.go. A list or map that loses everything becomes null. */
export function removeFields(atom: Atom, value: unknown, fields: FieldSet): unknown {
  const shape = shapeOf(atom, value);
  if (shape.kind === "scalar") return value;
  if (shape.kind === "list") {
    const list = shape.list;
    if (!Array.isArray(value) || value.length === 0) return null;
    if (list.atomic) return value;
    const kept = value.flatMap((item) => {
      const element = elementOf(list, item);
      const below = typeof element === "string" ? fields.children.get(element) : undefined;
      if (below?.member) return [];
      return [below?.children.size ? removeFields(list.element, item, below) : item];
    });
    return kept.length ? kept : null;
  }
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  if (shape.map.atomic) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const below = fields.children.get(`f:${key}`);
    if (below?.member) continue;
    const field = below?.children.size ? shape.map.field(key) : undefined;
    out[key] = field && below ? removeFields(field, item, below) : item;
  }
  return Object.keys(out).length ? out : null;
}

/** Adds the structs on the way to the set's paths: fieldpath.Set.EnsureNamedFieldsAreMembers. */
export function withNamedFields(atom: Atom | undefined, set: FieldSet): FieldSet {
  const out = new FieldSet();
  out.member = set.member;
  for (const [element, child] of set.children) {
    const isField = element.startsWith("f:");
    const name = element.slice(2);
    const below = isField ? atom?.map?.field(name) : atom?.list?.element;
    const copy = withNamedFields(below, child);
    if (isField && child.children.size && atom?.map?.isDeclared(name)) copy.member = true;
    out.put(element, copy);
  }
  return out;
}
