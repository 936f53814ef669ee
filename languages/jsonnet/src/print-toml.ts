import { JsonnetError } from "./jsonnet-error.ts";
import { printNumber, printString } from "./print-json.ts";
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Value } from "./values.ts";

const printKey = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : printString(name));

function isTableArray(value: Value): value is JsonnetArray {
  return (
    value instanceof JsonnetArray &&
    value.items.length > 0 &&
    value.values().every((item) => item instanceof JsonnetObject)
  );
}

function printValue(value: Value, indent: string, prefix: string): string {
  if (value === null) throw new JsonnetError("std.manifestToml: TOML has no null");
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return printNumber(value);
  if (typeof value === "string") return printString(value);
  if (value instanceof JsonnetFunction) throw new JsonnetError("cannot manifest function");
  if (value instanceof JsonnetArray) {
    if (value.items.length === 0) return "[]";
    const items = value
      .values()
      .map((item) => `${prefix}${indent}${printValue(item, indent, prefix + indent)}`);
    return `[\n${items.join(",\n")}\n${prefix}]`;
  }
  const fields = value
    .names(false)
    .map((name) => `${printKey(name)} = ${printValue(value.get(name) ?? null, indent, prefix)}`);
  return `{ ${fields.join(", ")} }`;
}

/** Plain values of a table first, then its tables, as std.manifestTomlEx writes them. */
export function printToml(table: JsonnetObject, indent: string, path: readonly string[] = []): string {
  const prefix = indent.repeat(path.length);
  const plain: string[] = [];
  const nested: string[] = [];
  for (const name of table.names(false)) {
    const value = table.get(name) ?? null;
    const inner = [...path, printKey(name)];
    if (value instanceof JsonnetObject)
      nested.push(printTable(value, { indent, path: inner, brackets: ["[", "]"] }));
    else if (isTableArray(value)) {
      for (const item of value.values())
        if (item instanceof JsonnetObject)
          nested.push(printTable(item, { indent, path: inner, brackets: ["[[", "]]"] }));
    } else plain.push(`${prefix}${printKey(name)} = ${printValue(value, indent, prefix)}`);
  }
  return [...(plain.length > 0 ? [plain.join("\n")] : []), ...nested].join("\n\n");
}

interface Header {
  indent: string;
  path: readonly string[];
  brackets: readonly [string, string];
}

function printTable(table: JsonnetObject, { indent, path, brackets: [open, close] }: Header): string {
  const head = `${indent.repeat(path.length - 1)}${open}${path.join(".")}${close}`;
  const body = printToml(table, indent, path);
  return body === "" ? head : `${head}\n${body}`;
}
