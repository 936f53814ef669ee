import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { isRecord } from "@capstan/formats";
import { inlined, keptZeros, ownForms, unknownFields, writesZeros } from "./object-forms.ts";

type Json = Record<string, unknown>;

/**
 * The JSON of a message as Argo CD's and Kubernetes' Go types have it (not protobuf's own JSON): 64-bit numbers are
 * numbers, times and quantities are texts, embedded fields stand with the others. What the sender wrote only because
 * Go's generated code writes zeros too is left out. Fields that the message's type does not know are kept aside
 * (`messageOfJson` puts them back). Throws a RangeError for numbers that JavaScript cannot hold.
 */
export function jsonOfMessage(desc: DescMessage, message: Message): unknown {
  const own = ownForms.get(desc.typeName);
  if (own) return own.read(valuesOf(message));
  const json: Json = {};
  const values = valuesOf(message);
  for (const field of desc.fields) {
    const value = valueOfField(field, values);
    if (value === undefined) continue;
    const read = readField(field, value);
    if (read === undefined) continue;
    if (inlined.has(`${desc.name}.${field.name}`)) Object.assign(json, read);
    else json[field.jsonName] = read;
  }
  if (message.$unknown?.length) Object.assign(json, { [unknownFields]: message.$unknown });
  return json;
}

function valuesOf(message: Message): Json {
  return { ...message };
}

function valueOfField(field: DescField, values: Json): unknown {
  if (field.oneof === undefined) return values[field.localName];
  const group = values[field.oneof.localName];
  return isRecord(group) && group.case === field.localName ? group.value : undefined;
}

function readField(field: DescField, value: unknown): unknown {
  switch (field.fieldKind) {
    case "list": {
      const items = Array.isArray(value) ? value : [];
      return items.length === 0 ? undefined : items.map((item) => readItem(field, item));
    }
    case "map": {
      const entries = Object.entries(isRecord(value) ? value : {});
      if (entries.length === 0) return undefined;
      return Object.fromEntries(entries.map(([key, item]) => [key, readItem(field, item)]));
    }
    case "message":
      return readItem(field, value);
    case "enum":
      return value;
    case "scalar": {
      const read = readScalar(field.scalar, value);
      return isZero(read) && !isKept(field) ? undefined : read;
    }
  }
}

/** Go's generated code for Kubernetes' types writes zeros of what is no pointer; elsewhere they are somebody's word. */
function isKept(field: DescField): boolean {
  if (writesZeros(field.parent)) return keptZeros.has(`${field.parent.name}.${field.name}`);
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

function readItem(field: DescField, value: unknown): unknown {
  if (field.message) return jsonOfMessage(field.message, value as Message);
  return "scalar" in field && field.scalar !== undefined ? readScalar(field.scalar, value) : value;
}

function readScalar(type: ScalarType, value: unknown): unknown {
  if (typeof value === "bigint") return readNumber(value);
  if (type === ScalarType.BYTES && value instanceof Uint8Array) return value.toBase64();
  return value;
}

function readNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is a larger number than may be sent`);
  return number;
}
