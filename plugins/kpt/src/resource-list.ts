import {
  type Entry,
  fieldAt,
  itemsAt,
  type MappingNode,
  mapping,
  printYaml,
  readYaml,
  sequence,
  text,
  textAt,
  textsAt,
  type YamlNode,
} from "@capstan/krm-yaml";
import type { ResourceList, ResultItem } from "./function.ts";
import type { Item } from "./item.ts";
import { readDocuments } from "./read-resources.ts";
import { PackageError } from "./trace-error.ts";

/** What functions read on standard input and print (KRM functions specification). */
export function printResourceList({ items, functionConfig }: Omit<ResourceList, "results">): string {
  const entry = (key: string, value: YamlNode): Entry => ({ key: text(key), value });
  const root = mapping([
    entry("apiVersion", text("config.kubernetes.io/v1")),
    entry("kind", text("ResourceList")),
    entry("items", sequence(items.map((item) => item.root))),
    ...(functionConfig ? [entry("functionConfig", functionConfig)] : []),
  ]);
  return printYaml({ root }, { seqIndent: "compact" });
}

/** `from` is named in errors: the program that printed it. */
export function readResourceList(content: string, from: string): ResourceList {
  const [document] = readYaml(from, content);
  const root = document?.root;
  if (root?.kind !== "mapping")
    throw new PackageError(
      `${from} did not print a ResourceList; it must print the list that it was given, changed`,
    );
  // A program may also print documents without a list around them.
  if (textAt(root, "kind") !== "ResourceList")
    return { items: readStream(content, from), functionConfig: undefined, results: [] };
  const items = itemsAt(root, "items").map((node): Item => {
    if (node.kind !== "mapping") throw new PackageError(`${from} printed an item that is no object`);
    return { root: node, head: "", foot: "" };
  });
  const config = fieldAt(root, "functionConfig");
  const functionConfig = config?.kind === "mapping" ? config : undefined;
  return { items, functionConfig, results: readResults(fieldAt(root, "results")) };
}

/** What a program in a row is given: a list of resources, or documents (kio.ByteReader). */
export function readStream(content: string, from: string): Item[] {
  const documents = readYaml(from, content);
  const [first] = documents;
  const kind = documents.length === 1 ? textAt(first?.root, "kind") : "";
  const isList = kind === "ResourceList" || kind === "List";
  const items = fieldAt(first?.root, "items");
  if (!isList || (items === undefined && fieldAt(first?.root, "functionConfig") === undefined))
    return readDocuments(from, content);
  return itemsAt(first?.root, "items").map((node) => {
    if (node.kind !== "mapping") throw new PackageError(`${from} holds an item that is no object`);
    return { root: node, head: "", foot: "" };
  });
}

/** A plain list, or the former form with the list under `items`. */
function readResults(node: YamlNode | undefined): ResultItem[] {
  const items = node?.kind === "sequence" ? node.items : itemsAt(node, "items");
  return items.filter((item) => item.kind === "mapping").map(readResult);
}

function readResult(node: MappingNode): ResultItem {
  const part = (name: string, fields: readonly string[]): Record<string, string> | undefined => {
    const inner = fieldAt(node, name);
    if (inner?.kind !== "mapping") return undefined;
    const read = fields.map((field) => [field, textAt(inner, field) || textAt(inner, "metadata", field)]);
    return Object.fromEntries(read.filter(([, value]) => value !== ""));
  };
  const resourceRef = part("resourceRef", ["apiVersion", "kind", "name", "namespace"]);
  const field = part("field", ["path", "currentValue", "proposedValue"]);
  const proposed = textAt(node, "field", "suggestedValue");
  const file = part("file", ["path"]);
  const index = Number(textAt(node, "file", "index") || 0);
  const severity = textAt(node, "severity");
  const tags = textsAt(node, "tags");
  return {
    message: textAt(node, "message"),
    ...(severity === "" ? {} : { severity }),
    ...(resourceRef ? { resourceRef } : {}),
    ...(field ? { field: { ...field, ...(proposed === "" ? {} : { proposedValue: proposed }) } } : {}),
    ...(file ? { file: { ...file, ...(index === 0 ? {} : { index }) } } : {}),
    ...(tags.size > 0 ? { tags } : {}),
  };
}
