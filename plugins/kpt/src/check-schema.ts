import { isRecord } from "@capstan/formats";

/** One way in which an object breaks its schema. */
export interface SchemaProblem {
  /** Names and indices on the way to the value. */
  path: readonly string[];
  problem:
    | { kind: "type"; got: string; want: readonly string[] }
    | { kind: "required"; missing: readonly string[] }
    | { kind: "additional"; names: readonly string[] }
    | { kind: "enum"; values: readonly string[] };
}

/** OpenAPI schemas by name, as Kubernetes publishes them. */
export type SchemaDefinitions = Readonly<Record<string, unknown>>;

interface Check {
  definitions: SchemaDefinitions;
  /** Fields that the schema lacks are problems. */
  strict: boolean;
}

const maxDepth = 100;
const maxProblems = 1_000;

/** Everything that is wrong with a value: an object's own problems before those of its fields. */
export function checkSchema(value: unknown, schema: unknown, check: Check): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  visit({ value, schema, path: [], isOptional: false });
  return problems;

  interface Place {
    value: unknown;
    schema: unknown;
    path: readonly string[];
    isOptional: boolean;
  }

  function visit({ value: found, schema: given, path, isOptional }: Place): void {
    const own = resolve(given, check.definitions);
    if (path.length > maxDepth || problems.length >= maxProblems || !own) return;
    const want = typesOf(own);
    const got = typeOf(found);
    if (isOptional && got === "null") return;
    if (want.length > 0 && !want.some((type) => type === got || (type === "integer" && isWhole(found)))) {
      const allowed = isOptional ? ["null", ...want] : want;
      problems.push({ path, problem: { kind: "type", got, want: allowed } });
      return;
    }
    const values = Array.isArray(own.enum) ? own.enum.map(String) : [];
    if (values.length > 0 && !values.includes(String(found)))
      problems.push({ path, problem: { kind: "enum", values } });
    if (Array.isArray(found))
      for (const [index, item] of found.entries())
        visit({ value: item, schema: own.items, path: [...path, String(index)], isOptional: false });
    if (isRecord(found)) visitObject(found, own, path);
  }

  function visitObject(
    object: Record<string, unknown>,
    own: Record<string, unknown>,
    path: readonly string[],
  ): void {
    const required = Array.isArray(own.required) ? own.required.map(String) : [];
    const missing = required.filter((name) => !(name in object));
    if (missing.length > 0) problems.push({ path, problem: { kind: "required", missing } });
    const properties = isRecord(own.properties) ? own.properties : undefined;
    const isOpen =
      own.additionalProperties !== undefined || own["x-kubernetes-preserve-unknown-fields"] === true;
    const unknown = Object.keys(object).filter(
      (name) => properties !== undefined && !isOpen && !(name in properties),
    );
    if (check.strict && unknown.length > 0)
      problems.push({ path, problem: { kind: "additional", names: unknown } });
    for (const [name, value] of Object.entries(object))
      visit({
        value,
        schema: properties?.[name] ?? own.additionalProperties,
        path: [...path, name],
        isOptional: !required.includes(name),
      });
  }
}

/** With references followed and what `allOf` adds put together. */
function resolve(schema: unknown, definitions: SchemaDefinitions): Record<string, unknown> | undefined {
  if (!isRecord(schema)) return undefined;
  let own = schema;
  for (let hops = 0; typeof own.$ref === "string" && hops < maxDepth; hops++) {
    const target = definitions[own.$ref.split("/").at(-1) ?? ""];
    if (!isRecord(target)) return undefined;
    own = target;
  }
  if (!Array.isArray(own.allOf)) return own;
  const parts = own.allOf.map((part) => resolve(part, definitions) ?? {});
  return Object.assign(
    {},
    ...parts,
    Object.fromEntries(Object.entries(own).filter(([key]) => key !== "allOf")),
  );
}

function typesOf(schema: Record<string, unknown>): string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  if (Array.isArray(schema.oneOf)) return schema.oneOf.flatMap((one) => (isRecord(one) ? typesOf(one) : []));
  return typeof schema.type === "string" ? [schema.type] : [];
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}

function isWhole(value: unknown): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}
