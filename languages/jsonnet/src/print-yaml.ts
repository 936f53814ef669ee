import { JsonnetError } from "./jsonnet-error.ts";
import { printShortNumber, printString } from "./print-json.ts";
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Value } from "./values.ts";

export interface YamlStyle {
  indentArrays: boolean;
  quoteKeys: boolean;
}

const bareKey = /^[A-Za-z0-9_\-/.]+$/;
const reserved = new Set(["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "-", "---", ""]);

function printKey(name: string, { quoteKeys }: YamlStyle): string {
  const looksTyped = /^[-+]?[0-9._]/.test(name) || /^0[xob]/.test(name);
  return quoteKeys || !bareKey.test(name) || reserved.has(name.toLowerCase()) || looksTyped
    ? printString(name)
    : name;
}

/** One YAML document as std.manifestYamlDoc writes it: strings quoted, or as a block when they end a line. */
export function printYaml(value: Value, style: YamlStyle, indent = ""): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return printShortNumber(value);
  if (typeof value === "string") return printText(value, indent);
  if (value instanceof JsonnetFunction) throw new JsonnetError("cannot manifest function");
  if (value instanceof JsonnetArray) return printItems(value, style, indent);
  return printFields(value, style, indent);
}

function printText(text: string, indent: string): string {
  if (!text.endsWith("\n")) return printString(text);
  const lines = text.slice(0, -1).split("\n");
  return ["|", ...lines.map((line) => (line === "" ? "" : `${indent}  ${line}`))].join("\n");
}

const isBlock = (value: Value): boolean =>
  (value instanceof JsonnetArray && value.items.length > 0) ||
  (value instanceof JsonnetObject && value.names(false).length > 0);

function printItems(array: JsonnetArray, style: YamlStyle, indent: string): string {
  if (array.items.length === 0) return "[]";
  return array
    .values()
    .map((item) => {
      const nested = item instanceof JsonnetArray && item.items.length > 0;
      const text = printYaml(item, style, isBlock(item) ? `${indent}  ` : indent);
      return nested ? `-\n${indent}  ${text}` : `- ${text}`;
    })
    .join(`\n${indent}`);
}

function printFields(object: JsonnetObject, style: YamlStyle, indent: string): string {
  object.checkAsserts();
  const names = object.names(false);
  if (names.length === 0) return "{}";
  return names
    .map((name) => {
      const value = object.get(name) ?? null;
      const inner = value instanceof JsonnetArray && !style.indentArrays ? indent : `${indent}  `;
      const text = printYaml(value, style, isBlock(value) ? inner : indent);
      const separator = isBlock(value) ? `:\n${inner}` : ": ";
      return `${printKey(name, style)}${separator}${text}`;
    })
    .join(`\n${indent}`);
}
