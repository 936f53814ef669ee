import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isRecord } from "@capstan/formats";
import { inlined, ownForms, unknownFields } from "./object-forms.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * What a caller sends back of an object that he was shown as a message lacks what the message has no field for. Gives
 * `given` with these parts of `stored`: whoever changes a project by an older client takes no protection from it.
 */
export function keepUnsaid(desc: DescMessage, given: unknown, stored: unknown): unknown {
  if (!isRecord(given) || !isRecord(stored) || ownForms.has(desc.typeName)) return given;
  const kept: Record<string, unknown> = { ...given };
  const fields = fieldsOf(desc);
  for (const [name, value] of Object.entries(stored)) {
    const field = fields.get(name);
    if (field === undefined) kept[name] = value;
    else if (field.message && name in given) kept[name] = keepWithin(field, given[name], value);
  }
  return kept;
}

function keepWithin(field: DescField, given: unknown, stored: unknown): unknown {
  const { message } = field;
  if (!message) return given;
  if (field.fieldKind === "message") return keepUnsaid(message, given, stored);
  // Items have no names that all kinds of lists share: those of a list that grew or shrank are new ones.
  if (!Array.isArray(given) || !Array.isArray(stored) || given.length !== stored.length) return given;
  return given.map((item, index) => keepUnsaid(message, item, stored[index]));
}

function fieldsOf(desc: DescMessage): Map<string, DescField> {
  const fields = new Map<string, DescField>();
  for (const field of desc.fields) {
    if (field.message && inlined.has(`${desc.name}.${field.name}`))
      for (const [name, within] of fieldsOf(field.message)) fields.set(name, within);
    else fields.set(field.jsonName, field);
  }
  return fields;
}

/** Place and number of the first field in a message's JSON that its type does not know, as `spec.syncPolicy: 17`. */
export function firstUnknown(json: unknown, place: readonly string[] = []): string | undefined {
  if (Array.isArray(json))
    return firstOf(
      json.map((item, index) => [String(index), item]),
      place,
    );
  if (!isRecord(json)) return undefined;
  const unknown: unknown = Reflect.get(json, unknownFields);
  if (Array.isArray(unknown)) return `${place.join(".") || "the request"}: ${unknown[0]?.no}`;
  return firstOf(Object.entries<unknown>(json satisfies Json), place);
}

function firstOf(entries: readonly (readonly [string, unknown])[], place: readonly string[]) {
  for (const [name, value] of entries) {
    const found = firstUnknown(value, [...place, name]);
    if (found) return found;
  }
  return undefined;
}
