import type { ObjectShape, Shape } from "./schema.ts";

type Json = { [name: string]: unknown };

const keepUnknown = { "x-kubernetes-preserve-unknown-fields": true };

/**
 * OpenAPI v3 as structural schemas permit it (KEP-1693 rules). Every object keeps fields that this version does not
 * know, so that they survive a round trip.
 */
export function crdSchema(shape: Shape, path: readonly string[] = []): Json {
  return {
    ...(shape.description === undefined ? {} : { description: shape.description }),
    ...body(shape, path),
  };
}

function body(shape: Shape, path: readonly string[]): Json {
  switch (shape.type) {
    case "string":
      return {
        type: "string",
        // What a status may say grows with versions, and must not be refused.
        ...(shape.enum === undefined || path[0] === "status" ? {} : { enum: [...shape.enum] }),
        ...(shape.pattern === undefined ? {} : { pattern: shape.pattern }),
        ...(shape.maxLength === undefined ? {} : { maxLength: shape.maxLength }),
        ...(shape.format === undefined ? {} : { format: shape.format }),
      };
    case "integer":
      return {
        type: "integer",
        format: "int64",
        ...(shape.minimum === undefined ? {} : { minimum: shape.minimum }),
      };
    case "boolean":
      return { type: "boolean" };
    case "int-or-string":
      return { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true };
    case "raw":
      return shape.object ? { type: "object", ...keepUnknown } : { ...keepUnknown };
    case "array":
      return { type: "array", items: crdSchema(shape.items, path) };
    case "map":
      return { type: "object", additionalProperties: crdSchema(shape.values, path) };
    case "object":
      return shape.opaqueInCrd === true ? { type: "object", ...keepUnknown } : objectBody(shape, path);
  }
}

function objectBody({ properties, required }: ObjectShape, path: readonly string[]): Json {
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, below]) => [name, crdSchema(below, [...path, name])]),
    ),
    ...(required.length === 0 ? {} : { required: [...required].sort() }),
    ...keepUnknown,
  };
}

/** The whole object: metadata is the server's business, and apiVersion and kind go without saying. */
export function crdRootSchema(shape: Shape): Json {
  if (shape.type !== "object") return crdSchema(shape);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...own } = shape.properties;
  const properties: Json = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
  };
  for (const [name, below] of Object.entries(own)) properties[name] = crdSchema(below, [name]);
  const required = shape.required.filter((name) => name !== "apiVersion" && name !== "kind");
  return {
    type: "object",
    ...(shape.description === undefined ? {} : { description: shape.description }),
    properties,
    required: [...required].sort(),
    ...keepUnknown,
  };
}
