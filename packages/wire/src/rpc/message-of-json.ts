import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { isRecord } from "@capstan/formats";
import { inlined, ownForms, unknownFields } from "./object-forms.ts";

type Json = Record<string, unknown>;

/**
 * The message of a JSON value: the inverse of `jsonOfMessage`. What the message has no field for, or what is of another
 * kind than its field, is left out, as Go's clients leave it out; required fields are there always.
 */
export function messageOfJson<Desc extends DescMessage>(desc: Desc, json: unknown): MessageShape<Desc> {
  const own = ownForms.get(desc.typeName);
  const message = create(desc);
  if (own) return Object.assign(message, own.write(json));
  const from: Json = isRecord(json) ? json : {};
  const made: Json = {};
  for (const field of desc.fields) {
    const source = inlined.has(`${desc.name}.${field.name}`) ? from : from[field.jsonName];
    const value = writeField(field, source) ?? requiredOf(field);
    if (value === undefined) continue;
    if (field.oneof) made[field.oneof.localName] = { case: field.localName, value };
    else made[field.localName] = value;
  }
  const unknown = Reflect.get(from, unknownFields);
  return Object.assign(message, made, Array.isArray(unknown) ? { $unknown: unknown } : {});
}

function writeField(field: DescField, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  switch (field.fieldKind) {
    case "list":
      if (!Array.isArray(value)) return undefined;
      return value.map((item) => writeItem(field, item)).filter((item) => item !== undefined);
    case "map": {
      if (!isRecord(value)) return undefined;
      const entries = Object.entries(value).map(([key, item]) => [key, writeItem(field, item)] as const);
      return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
    }
    default:
      return writeItem(field, value);
  }
}

function writeItem(field: DescField, value: unknown): unknown {
  if (field.message) return value === null ? undefined : messageOfJson(field.message, value);
  return "scalar" in field && field.scalar !== undefined ? writeScalar(field.scalar, value) : undefined;
}

function writeScalar(type: ScalarType, value: unknown): unknown {
  switch (type) {
    case ScalarType.STRING:
      return typeof value === "string" ? value.toWellFormed() : undefined;
    case ScalarType.BOOL:
      return typeof value === "boolean" ? value : undefined;
    case ScalarType.BYTES:
      return typeof value === "string" ? bytesOf(value) : undefined;
    case ScalarType.INT64:
      return Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined;
    case ScalarType.INT32:
      return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? value : undefined;
    default:
      return typeof value === "number" ? value : undefined;
  }
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Go's clients refuse a message without a required field. */
function requiredOf(field: DescField): unknown {
  if (field.presence !== FeatureSet_FieldPresence.LEGACY_REQUIRED) return undefined;
  if (field.message) return messageOfJson(field.message, {});
  switch ("scalar" in field ? field.scalar : undefined) {
    case ScalarType.STRING:
      return "";
    case ScalarType.BOOL:
      return false;
    case ScalarType.BYTES:
      return new Uint8Array();
    case ScalarType.INT64:
      return 0n;
    default:
      return 0;
  }
}
