import { isRecord, printFloat } from "@capstan/formats";
import { checkShape, type Schema, type Shape, withoutNulls } from "@capstan/model/shapes";

export interface ReadFields<Value> {
  /** Nothing where there are problems. */
  readonly value: Value | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Parsed YAML as sigs.k8s.io/yaml reads it into Go's structs: keys in any case, numbers and booleans where text is
 * wanted are text, null is absent. What is of the wrong kind or lacks is a problem, what is unknown a warning; both
 * name the field, below `above` where that is given.
 */
export function readFields<Value>(schema: Schema<Value>, given: unknown, above = ""): ReadFields<Value> {
  const { shape } = schema;
  const value = withoutNulls(shape, fit(shape, given ?? {}));
  const found = checkShape(shape, value);
  const linesOf = (severity: "error" | "warning") =>
    found
      .filter((problem) => problem.severity === severity)
      .map(
        ({ field, message }) => `${[above, field].filter((one) => one !== "").join(".") || "it"} ${message}`,
      );
  const [problems, warnings] = [linesOf("error"), linesOf("warning")];
  return { value: isOf(schema, value, problems) ? value : undefined, problems, warnings };
}

function isOf<Value>(_: Schema<Value>, value: unknown, problems: readonly string[]): value is Value {
  return problems.length === 0;
}

function fit(shape: Shape, value: unknown): unknown {
  if (shape.type === "string") return textOf(value);
  if (shape.type === "array")
    return Array.isArray(value) ? value.map((item) => fit(shape.items, item)) : value;
  if (!isRecord(value)) return value;
  if (shape.type === "map") return mapEntries(value, (key, item) => [key, fit(shape.values, item)]);
  if (shape.type !== "object") return value;
  const names = Object.keys(shape.properties);
  return mapEntries(value, (key, item) => {
    const name = names.includes(key) ? key : names.find((one) => one.toLowerCase() === key.toLowerCase());
    const below = name === undefined ? undefined : shape.properties[name];
    return name === undefined || below === undefined ? [key, item] : [name, fit(below, item)];
  });
}

function mapEntries(
  of: Readonly<Record<string, unknown>>,
  map: (key: string, item: unknown) => [string, unknown],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(of).map(([key, item]) => map(key, item)));
}

function textOf(value: unknown): unknown {
  if (typeof value === "number") return printFloat(value, Number.isInteger(value) ? "f" : "g");
  return typeof value === "boolean" || typeof value === "bigint" ? String(value) : value;
}
