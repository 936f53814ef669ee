import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { builtinDefinitions, dataFolder } from "../builtin-definitions.ts";
import { isObject, type JsonObject } from "../json.ts";

const refPrefix = "#/components/schemas/";

let documented: Readonly<Record<string, JsonObject>> | undefined;

/** The built-in types with their descriptions, which only OpenAPI answers need. */
export function documentedTypes(): Readonly<Record<string, JsonObject>> {
  documented ??= readDocumented();
  return documented;
}

function readDocumented(): Record<string, JsonObject> {
  const packed = brotliDecompressSync(readFileSync(join(dataFolder, "descriptions.json.br")));
  const descriptions: Record<string, Record<string, string>> = JSON.parse(packed.toString("utf8"));
  return Object.fromEntries(
    Object.entries(builtinDefinitions().byName).map(([name, schema]) => [
      name,
      describe(schema, "", descriptions[name] ?? {}),
    ]),
  );
}

function describe(schema: JsonObject, path: string, texts: Readonly<Record<string, string>>): JsonObject {
  const description = texts[path];
  const out: JsonObject = description === undefined ? {} : { description };
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "properties" || !isObject(value)) {
      out[key] = value;
      continue;
    }
    const properties: JsonObject = {};
    for (const [name, below] of Object.entries(value))
      properties[name] = isObject(below) ? describe(below, path ? `${path}.${name}` : name, texts) : below;
    out[key] = properties;
  }
  return out;
}

/** The named types and all that they refer to. */
export function withReferences(
  names: Iterable<string>,
  all: Readonly<Record<string, JsonObject>>,
): JsonObject {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      if (typeof value.$ref === "string") take(value.$ref.slice(refPrefix.length));
      Object.values(value).forEach(visit);
    }
  };
  const take = (name: string): void => {
    if (found.has(name) || !all[name]) return;
    found.add(name);
    visit(all[name]);
  };
  for (const name of names) take(name);
  return Object.fromEntries([...found].sort().map((name) => [name, all[name]]));
}

/** An OpenAPI v3 type as v2 knows it: no allOf around references, no defaults, no alternatives, no null. */
export function asVersion2(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asVersion2);
  if (!isObject(schema)) return schema;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && isObject(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([name, below]) => [name, asVersion2(below)]));
    else if (key === "$ref" && typeof value === "string")
      out[key] = value.replace(refPrefix, "#/definitions/");
    else if (key === "allOf" && Array.isArray(value) && value.length === 1)
      Object.assign(out, asVersion2(value[0]));
    else if (key === "oneOf" && !schema.type) out.type = "string";
    else if (!lostInVersion2.has(key)) out[key] = asVersion2(value);
  }
  if (schema["x-kubernetes-int-or-string"] === true) delete out.type;
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) {
    delete out.properties;
    delete out.items;
  }
  return out;
}

const lostInVersion2 = new Set(["default", "oneOf", "anyOf", "allOf", "not", "nullable"]);
