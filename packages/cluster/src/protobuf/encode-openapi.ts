import { isRecord } from "../types.ts";
import { WireWriter } from "./wire-writer.ts";

/** How a JSON member goes into its message. */
type Field = (into: WireWriter, value: unknown) => void;

/** The members of one message of gnostic's OpenAPIv2.proto; `extensions` is the number of vendor_extension. */
interface Shape {
  fields: Readonly<Record<string, Field>>;
  extensions?: number;
}

function encode({ fields, extensions }: Shape, value: unknown): Buffer {
  const writer = new WireWriter();
  for (const [key, member] of Object.entries(isRecord(value) ? value : {}))
    if (!key.startsWith("x-")) fields[key]?.(writer, member);
    else if (extensions !== undefined) writer.bytes(extensions, pair(key, anything(member)));
  return writer.finish();
}

/** Any: its JSON text, as YAML in 2. */
function anything(value: unknown): Buffer {
  const writer = new WireWriter();
  writer.text(2, JSON.stringify(value));
  return writer.finish();
}

/** The Named… messages: a key in 1, a value in 2. */
function pair(name: string, value: Uint8Array): Buffer {
  const writer = new WireWriter();
  writer.text(1, name);
  writer.bytes(2, value);
  return writer.finish();
}

/** A message that only wraps another. */
function within(field: number, payload: Uint8Array): Buffer {
  const writer = new WireWriter();
  writer.bytes(field, payload);
  return writer.finish();
}

const text =
  (field: number): Field =>
  (into, value) =>
    into.text(field, String(value));
const flag =
  (field: number): Field =>
  (into, value) =>
    into.varint(field, value === true ? 1 : 0);
const count =
  (field: number): Field =>
  (into, value) =>
    into.varint(field, Number(value));
const double =
  (field: number): Field =>
  (into, value) =>
    into.double(field, Number(value));
const message =
  (field: number, encoded: (value: unknown) => Uint8Array): Field =>
  (into, value) =>
    into.bytes(field, encoded(value));
const each =
  (one: Field): Field =>
  (into, value) => {
    for (const item of Array.isArray(value) ? value : [value]) one(into, item);
  };
/** A JSON object as repeated Named… messages in a field of a message of its own. */
const named = (field: number, encoded: (value: unknown) => Uint8Array) => (value: unknown) => {
  const writer = new WireWriter();
  for (const [name, member] of Object.entries(isRecord(value) ? value : {}))
    writer.bytes(field, pair(name, encoded(member)));
  return writer.finish();
};
const textList = (value: unknown): Buffer => {
  const writer = new WireWriter();
  each(text(1))(writer, value);
  return writer.finish();
};

const schema: Shape = {
  extensions: 31,
  fields: {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: message(5, anything),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: count(11),
    minLength: count(12),
    pattern: text(13),
    maxItems: count(14),
    minItems: count(15),
    uniqueItems: flag(16),
    maxProperties: count(17),
    minProperties: count(18),
    required: each(text(19)),
    enum: each(message(20, anything)),
    additionalProperties: message(21, additional),
    type: message(22, textList),
    items: message(23, (value) => within(1, encode(schema, value))),
    allOf: each(message(24, (value) => encode(schema, value))),
    properties: message(
      25,
      named(1, (value) => encode(schema, value)),
    ),
    readOnly: flag(27),
    example: message(30, anything),
  },
};

function additional(value: unknown): Buffer {
  if (isRecord(value)) return within(1, encode(schema, value));
  const writer = new WireWriter();
  flag(2)(writer, value);
  return writer.finish();
}

const parameterFields = { required: flag(1), in: text(2), description: text(3), name: text(4) };
const queryParameter: Shape = { fields: { ...parameterFields, type: text(6), uniqueItems: flag(20) } };
const pathParameter: Shape = { fields: { ...parameterFields, type: text(5), uniqueItems: flag(19) } };

/** ParametersItem, Parameter, NonBodyParameter: a choice inside a choice inside a choice. */
function parameter(value: unknown): Buffer {
  const isPath = isRecord(value) && value.in === "path";
  const own = isPath ? within(4, encode(pathParameter, value)) : within(3, encode(queryParameter, value));
  return within(1, within(2, own));
}

const response: Shape = {
  fields: { description: text(1), schema: message(2, (value) => within(1, encode(schema, value))) },
};

const operation: Shape = {
  extensions: 13,
  fields: {
    tags: each(text(1)),
    description: text(3),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: each(message(8, parameter)),
    responses: message(
      9,
      named(1, (value) => within(1, encode(response, value))),
    ),
  },
};
const inOperation = (field: number): Field => message(field, (value) => encode(operation, value));

const pathItem: Shape = {
  extensions: 10,
  fields: {
    get: inOperation(2),
    put: inOperation(3),
    post: inOperation(4),
    delete: inOperation(5),
    patch: inOperation(7),
    parameters: each(message(9, parameter)),
  },
};

const keyInHeader: Shape = { fields: { type: text(1), name: text(2), in: text(3), description: text(4) } };

const documentShape: Shape = {
  fields: {
    swagger: text(1),
    info: message(2, (value) => encode({ fields: { title: text(1), version: text(2) } }, value)),
    paths: message(
      8,
      named(2, (value) => encode(pathItem, value)),
    ),
    definitions: message(
      9,
      named(1, (value) => encode(schema, value)),
    ),
    security: each(message(12, named(1, textList))),
    securityDefinitions: message(
      13,
      named(1, (value) => within(2, encode(keyInHeader, value))),
    ),
  },
};

/**
 * The OpenAPI v2 document as client-go's discovery wants it, which takes no other form
 * (discovery_client.go OpenAPISchema, gnostic-models openapiv2/OpenAPIv2.proto).
 */
export function encodeOpenapi(document: string): Buffer {
  const value: unknown = JSON.parse(document);
  return encode(documentShape, value);
}
