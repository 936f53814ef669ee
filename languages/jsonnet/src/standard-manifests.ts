import { parseJson } from "@capstan/formats";
import { parseYamlDocuments } from "@capstan/model";
import { JsonnetError } from "./jsonnet-error.ts";
import type { Arguments, Natives } from "./native.ts";
import { toText } from "./operators.ts";
import { fromData, printJson, printNumber, printString } from "./print-json.ts";
import { printToml } from "./print-toml.ts";
import { printYaml } from "./print-yaml.ts";
import { escapeXml } from "./standard-strings.ts";
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Value } from "./values.ts";

function printPython(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return printString(value);
  if (typeof value === "number") return printNumber(value);
  if (value instanceof JsonnetFunction) throw new JsonnetError("cannot manifest function");
  if (value instanceof JsonnetArray) return `[${value.values().map(printPython).join(", ")}]`;
  const fields = value
    .names(false)
    .map((name) => `${printString(name)}: ${printPython(value.get(name) ?? null)}`);
  return `{${fields.join(", ")}}`;
}

function printIni(ini: JsonnetObject): string {
  const body = (section: JsonnetObject): string[] =>
    section.names(false).flatMap((name) => {
      const value = section.get(name) ?? null;
      const values = value instanceof JsonnetArray ? value.values() : [value];
      return values.map((one) => `${name} = ${toText(one)}`);
    });
  const main = ini.get("main");
  const sections = ini.get("sections");
  const lines = main instanceof JsonnetObject ? body(main) : [];
  if (sections instanceof JsonnetObject)
    for (const name of sections.names(false)) {
      const section = sections.get(name);
      lines.push(`[${name}]`, ...(section instanceof JsonnetObject ? body(section) : []));
    }
  return [...lines, ""].join("\n");
}

/** JsonML: ["tag", {attributes}, children…]. */
function printXml(value: Value): string {
  if (typeof value === "string") return escapeXml(value);
  if (!(value instanceof JsonnetArray))
    throw new JsonnetError("std.manifestXmlJsonml: expected a string or an array");
  const [tag, ...rest] = value.values();
  const [attributes] = rest;
  const shown =
    attributes instanceof JsonnetObject
      ? attributes.names(false).map((name) => ` ${name}="${escapeXml(toText(attributes.get(name) ?? null))}"`)
      : [];
  const children = (attributes instanceof JsonnetObject ? rest.slice(1) : rest).map(printXml).join("");
  return `<${toText(tag ?? null)}${shown.join("")}>${children}</${toText(tag ?? null)}>`;
}

const yamlStyle = (args: Arguments, first: number) => ({
  indentArrays: args.has(first) && args.boolean(first),
  quoteKeys: !args.has(first + 1) || args.boolean(first + 1),
});

function printYamlStream(args: Arguments): string {
  const style = { indentArrays: args.has(1) && args.boolean(1), quoteKeys: !args.has(3) || args.boolean(3) };
  const documents = args
    .array(0)
    .values()
    .map((one) => printYaml(one, style));
  const end = !args.has(2) || args.boolean(2) ? "\n...\n" : "\n";
  return `---\n${documents.join("\n---\n")}${end}`;
}

function parseYaml(text: string): Value {
  const documents = parseYamlDocuments(text, { file: "std.parseYaml" }).map(({ value }) => fromData(value));
  const [only] = documents;
  return documents.length > 1 ? JsonnetArray.of(documents) : (only ?? null);
}

function parseJsonText(text: string): Value {
  try {
    return fromData(parseJson(text));
  } catch (error) {
    throw new JsonnetError(`std.parseJson: ${error instanceof Error ? error.message : error}`);
  }
}

export const standardManifests: Natives = {
  manifestJson: ["value", (args) => printJson(args.value(0), { indent: "    ", shortNumbers: true })],
  manifestJsonMinified: [
    "value",
    (args) =>
      printJson(args.value(0), { indent: "", newline: "", keyValueSeparator: ":", shortNumbers: true }),
  ],
  manifestJsonEx: [
    "value indent newline? key_val_sep?",
    (args) =>
      printJson(args.value(0), {
        indent: args.text(1),
        newline: args.has(2) ? args.text(2) : "\n",
        keyValueSeparator: args.has(3) ? args.text(3) : ": ",
        shortNumbers: true,
      }),
  ],
  manifestYamlDoc: [
    "value indent_array_in_object? quote_keys?",
    (args) => printYaml(args.value(0), yamlStyle(args, 1)),
  ],
  manifestYamlStream: ["value indent_array_in_object? c_document_end? quote_keys?", printYamlStream],
  manifestPython: ["v", (args) => printPython(args.value(0))],
  manifestPythonVars: [
    "conf",
    (args) => {
      const object = args.object(0);
      return object
        .names(false)
        .map((name) => `${name} = ${printPython(object.get(name) ?? null)}\n`)
        .join("");
    },
  ],
  manifestIni: ["ini", (args) => printIni(args.object(0))],
  manifestToml: ["toml", (args) => printToml(args.object(0), "  ")],
  manifestTomlEx: ["toml indent", (args) => printToml(args.object(0), args.text(1))],
  manifestXmlJsonml: ["value", (args) => printXml(args.value(0))],
  parseJson: ["str", (args) => parseJsonText(args.text(0))],
  parseYaml: ["str", (args) => parseYaml(args.text(0))],
};
