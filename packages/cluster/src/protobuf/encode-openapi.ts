import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { isRecord } from "../types.ts";

/** How a JSON value is written: as a field of a message, or as all that is in one. */
type Write = (into: BinaryWriter, value: unknown) => void;

/** The members of one message of gnostic's OpenAPIv2.proto; `extensions` is the number of vendor_extension. */
interface Shape {
  fields: Readonly<Record<string, Write>>;
  extensions?: number;
}

function members({ fields, extensions }: Shape): Write {
  return (into, value) => {
    for (const [key, member] of Object.entries(isRecord(value) ? value : {}))
      if (!key.startsWith("x-")) fields[key]?.(into, member);
      else if (extensions !== undefined) named(extensions, anything)(into, { [key]: member });
  };
}

const text =
  (field: number): Write =>
  (into, value) =>
    into.tag(field, WireType.LengthDelimited).string(String(value));
const flag =
  (field: number): Write =>
  (into, value) =>
    into.tag(field, WireType.Varint).bool(value === true);
const count =
  (field: number): Write =>
  (into, value) =>
    into.tag(field, WireType.Varint).int64(Number(value));
const double =
  (field: number): Write =>
  (into, value) =>
    into.tag(field, WireType.Bit64).double(Number(value));
const message =
  (field: number, content: Write): Write =>
  (into, value) => {
    into.tag(field, WireType.LengthDelimited).fork();
    content(into, value);
    into.join();
  };
const each =
  (one: Write): Write =>
  (into, value) => {
    for (const item of Array.isArray(value) ? value : [value]) one(into, item);
  };
/** A JSON object as repeated Named… messages: a key in 1, a value in 2. */
const named =
  (field: number, content: Write): Write =>
  (into, value) => {
    for (const [name, member] of Object.entries(isRecord(value) ? value : {})) {
      into.tag(field, WireType.LengthDelimited).fork();
      text(1)(into, name);
      message(2, content)(into, member);
      into.join();
    }
  };
/** Any: its JSON text, as YAML in 2. */
const anything: Write = (into, value) => text(2)(into, JSON.stringify(value));
const textList = each(text(1));
const schemaIn: Write = (into, value) => members(schema)(into, value);

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
    additionalProperties: message(21, (into, value) =>
      (isRecord(value) ? message(1, schemaIn) : flag(2))(into, value),
    ),
    type: message(22, textList),
    items: message(23, message(1, schemaIn)),
    allOf: each(message(24, schemaIn)),
    properties: message(25, named(1, schemaIn)),
    readOnly: flag(27),
    example: message(30, anything),
  },
};

const parameterFields = { required: flag(1), in: text(2), description: text(3), name: text(4) };
const queryParameter: Shape = { fields: { ...parameterFields, type: text(6), uniqueItems: flag(20) } };
const pathParameter: Shape = { fields: { ...parameterFields, type: text(5), uniqueItems: flag(19) } };

/** ParametersItem, Parameter, NonBodyParameter: a choice inside a choice inside a choice. */
const parameter: Write = (into, value) => {
  const isPath = isRecord(value) && value.in === "path";
  const own = isPath ? message(4, members(pathParameter)) : message(3, members(queryParameter));
  message(1, message(2, own))(into, value);
};

const response: Shape = { fields: { description: text(1), schema: message(2, message(1, schemaIn)) } };

const operation: Shape = {
  extensions: 13,
  fields: {
    tags: each(text(1)),
    description: text(3),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: each(message(8, parameter)),
    responses: message(9, named(1, message(1, members(response)))),
  },
};
const inOperation = (field: number): Write => message(field, members(operation));

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
    info: message(2, members({ fields: { title: text(1), version: text(2) } })),
    paths: message(8, named(2, members(pathItem))),
    definitions: message(9, named(1, schemaIn)),
    security: each(message(12, named(1, textList))),
    securityDefinitions: message(13, named(1, message(2, members(keyInHeader)))),
  },
};

/**
 * The OpenAPI v2 document as client-go's discovery wants it, which takes no other form
 * (discovery_client.go OpenAPISchema, gnostic-models openapiv2/OpenAPIv2.proto).
 */
export function encodeOpenapi(document: string): Uint8Array {
  const writer = new BinaryWriter();
  members(documentShape)(writer, JSON.parse(document));
  return writer.finish();
}
