import assert from "node:assert/strict";
import { test } from "node:test";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { encodeOpenapi } from "./encode-openapi.ts";

/** The payloads of one field of a message. */
function payloads(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}

const follow = (message: Uint8Array, ...fields: number[]): Uint8Array =>
  fields.reduce((inner, field) => payloads(inner, field)[0] ?? new Uint8Array(), message);
const textAt = (message: Uint8Array, ...fields: number[]): string =>
  Buffer.from(follow(message, ...fields)).toString();

const kinds = [{ group: "", kind: "Thing", version: "v1" }];
const thing = {
  description: "A thing.",
  type: "object",
  "x-kubernetes-group-version-kind": kinds,
  properties: {
    parts: { type: "array", items: { $ref: "#/definitions/Part" } },
    sizes: { type: "object", additionalProperties: { type: "integer", minimum: 0.5 } },
  },
};
const patch = {
  consumes: ["a", "b"],
  parameters: [{ name: "name", in: "path", required: true, type: "string", uniqueItems: true }],
  responses: { 200: { description: "OK", schema: { $ref: "#/definitions/Thing" } } },
};

test("the parts of an OpenAPI document stand where gnostic's OpenAPIv2.proto has them", () => {
  const document = { swagger: "2.0", paths: { "/things": { patch } }, definitions: { Thing: thing } };
  const bytes = encodeOpenapi(JSON.stringify(document));
  assert.equal(textAt(bytes, 1), "2.0");
  const named = follow(bytes, 9, 1);
  assert.equal(textAt(named, 1), "Thing");
  const schema = follow(named, 2);
  assert.equal(textAt(schema, 4), "A thing.");
  assert.equal(textAt(schema, 22, 1), "object");
  assert.equal(textAt(schema, 31, 1), "x-kubernetes-group-version-kind");
  assert.deepEqual(JSON.parse(textAt(schema, 31, 2, 2)), kinds);
  const [parts, sizes] = payloads(follow(schema, 25), 1);
  assert.ok(parts && sizes);
  assert.equal(textAt(parts, 2, 23, 1, 1), "#/definitions/Part");
  assert.equal(textAt(sizes, 2, 21, 1, 22, 1), "integer");
  const path = follow(bytes, 8, 2);
  assert.equal(textAt(path, 1), "/things");
  const operation = follow(path, 2, 7);
  assert.deepEqual(
    payloads(operation, 7).map((one) => Buffer.from(one).toString()),
    ["a", "b"],
  );
  assert.equal(textAt(operation, 8, 1, 2, 4, 4), "name");
  assert.equal(textAt(operation, 9, 1, 2, 1, 2, 1, 1), "#/definitions/Thing");
});
