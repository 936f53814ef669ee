import { isJson, type Json, list, member, text } from "./json.ts";

export interface Sample {
  object: Json;
  /** Scalars, lists and maps are sent with their zero value instead of being left out. */
  zero: boolean;
}

type Definitions = ReadonlyMap<string, Json>;
type Field = readonly [string, unknown];

/**
 * Objects of one kind that together show each type with nothing in it, with every block present, with each
 * value of its enums, and with zero values.
 */
export function* samplesOf(root: string, resource: Json, definitions: Definitions): Generator<Sample> {
  const head = {
    apiVersion: [text(resource.group), text(resource.version)].filter(Boolean).join("/"),
    kind: text(resource.kind),
    metadata: {
      name: nameFor(text(resource.resource)),
      ...(resource.namespaced ? { namespace: "default" } : {}),
    },
  };
  const finish = (body: Json): Json => ({ ...body, ...head });
  for (const { steps, type } of placesOf(root, definitions)) {
    const at = (value: Json): Json => finish(wrap(steps, value));
    yield { object: at({}), zero: false };
    for (const value of enumValues(type, definitions)) yield { object: at(value), zero: false };
    const zeros = zeroValues(type, definitions);
    if (Object.keys(zeros).length) yield { object: at(zeros), zero: true };
  }
  yield { object: finish(blocks(root, definitions, [])), zero: false };
}

type Step = { field: string; shape: "one" | "list" | "map" };

/** The first way to each type below a kind. */
function placesOf(root: string, definitions: Definitions): { steps: Step[]; type: string }[] {
  const places: { steps: Step[]; type: string }[] = [{ steps: [], type: root }];
  const seen = new Set([root]);
  for (const { steps, type } of places) {
    for (const [field, schema] of fieldsOf(type, definitions)) {
      const found = below(schema);
      if (!found || seen.has(found.type) || !isJson(definitions.get(found.type)?.properties)) continue;
      seen.add(found.type);
      places.push({ steps: [...steps, { field, shape: found.shape }], type: found.type });
    }
  }
  return places;
}

function below(schema: unknown): { type: string; shape: Step["shape"] } | undefined {
  const shapes = [
    ["one", referenced(schema)],
    ["list", referenced(member(schema, "items"))],
    ["map", referenced(member(schema, "additionalProperties"))],
  ] as const;
  for (const [shape, type] of shapes) if (type && !type.endsWith(".ObjectMeta")) return { type, shape };
  return undefined;
}

function fieldsOf(type: string, definitions: Definitions): Field[] {
  const properties = definitions.get(type)?.properties;
  return isJson(properties) ? Object.entries(properties) : [];
}

function wrap(steps: readonly Step[], value: Json): Json {
  return steps.reduceRight<Json>((inner, { field, shape }) => {
    if (shape === "list") return { [field]: [inner] };
    return { [field]: shape === "map" ? { a: inner } : inner };
  }, value);
}

function* enumValues(type: string, definitions: Definitions): Generator<Json> {
  for (const [field, schema] of fieldsOf(type, definitions)) {
    if (text(member(schema, "type")) === "string")
      for (const value of list(member(schema, "enum"))) yield { [field]: value };
    if (text(member(schema, "type")) === "boolean") yield { [field]: true };
    if (text(member(schema, "type")) === "integer") yield { [field]: 5 };
    if (text(member(schema, "type")) === "string" && !member(schema, "enum") && !member(schema, "format"))
      yield { [field]: "x" };
  }
}

function zeroValues(type: string, definitions: Definitions): Json {
  const zeros: Json = {};
  for (const [field, schema] of fieldsOf(type, definitions)) {
    if (field === "apiVersion" || field === "kind") continue;
    const zero = zeroOf(schema);
    if (zero !== undefined) zeros[field] = zero;
  }
  return zeros;
}

function zeroOf(schema: unknown): unknown {
  switch (member(schema, "type")) {
    case "string":
      return member(schema, "format") === "date-time" ? undefined : "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return undefined;
  }
}

/** Every block present and empty, once below itself at most. */
function blocks(type: string, definitions: Definitions, above: readonly string[]): Json {
  const body: Json = {};
  if (above.includes(type)) return body;
  for (const [field, schema] of fieldsOf(type, definitions)) {
    const found = below(schema);
    if (!found || !isJson(definitions.get(found.type)?.properties)) continue;
    const inner = blocks(found.type, definitions, [...above, type]);
    body[field] = found.shape === "list" ? [inner] : found.shape === "map" ? { a: inner } : inner;
  }
  return body;
}

const refPrefix = "#/components/schemas/";

export function referenced(schema: unknown): string | undefined {
  const ref = text(member(schema, "$ref")) || text(member(list(member(schema, "allOf"))[0], "$ref"));
  return ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined;
}

/** The server's own controllers panic on an APIService or CRD whose name does not split as theirs do. */
export function nameFor(plural: string): string {
  if (plural === "apiservices") return "v1.probe.example";
  return plural === "customresourcedefinitions" ? "probes.probe.example" : "probe";
}
