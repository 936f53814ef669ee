import {
  byCodePoint,
  type MappingNode,
  mapping,
  printYaml,
  scalar,
  sequence,
  text,
  type YamlNode,
} from "@capstan/krm-yaml";
import { kptfileTypes } from "./kptfile-schema.ts";
import { type KptfileObject, type KptfileValue, readKptfileContent } from "./read-kptfile.ts";

export interface FunctionSpec {
  image: string;
  exec: string;
  configPath: string;
  configMap: ReadonlyMap<string, string>;
  name: string;
  tag: string;
  selectors: readonly Selector[];
  exclude: readonly Selector[];
}

export interface Selector {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  labels: ReadonlyMap<string, string>;
  annotations: ReadonlyMap<string, string>;
}

export interface Kptfile {
  name: string;
  annotations: ReadonlyMap<string, string>;
  mutators: readonly FunctionSpec[];
  validators: readonly FunctionSpec[];
  content: KptfileObject;
}

/** `shownPath`: how errors name the directory of the Kptfile. */
export function readKptfile(source: string, shownPath: string): Kptfile {
  const content = readKptfileContent(source, shownPath);
  const metadata = objectIn(content, "metadata");
  const pipeline = objectIn(content, "pipeline");
  return {
    name: textIn(metadata, "name"),
    annotations: mapIn(metadata, "annotations"),
    mutators: listIn(pipeline, "mutators").map(readFunction),
    validators: listIn(pipeline, "validators").map(readFunction),
    content,
  };
}

function readFunction(spec: KptfileObject): FunctionSpec {
  return {
    image: textIn(spec, "image"),
    exec: textIn(spec, "exec"),
    configPath: textIn(spec, "configPath"),
    configMap: mapIn(spec, "configMap"),
    name: textIn(spec, "name"),
    tag: textIn(spec, "tag"),
    selectors: listIn(spec, "selectors").map(readSelector),
    exclude: listIn(spec, "exclude").map(readSelector),
  };
}

function readSelector(spec: KptfileObject): Selector {
  return {
    apiVersion: textIn(spec, "apiVersion"),
    kind: textIn(spec, "kind"),
    name: textIn(spec, "name"),
    namespace: textIn(spec, "namespace"),
    labels: mapIn(spec, "labels"),
    annotations: mapIn(spec, "annotations"),
  };
}

export function textIn(object: KptfileObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

export function mapIn(object: KptfileObject, field: string): ReadonlyMap<string, string> {
  const value = object[field];
  return value instanceof Map ? value : new Map();
}

export function objectIn(object: KptfileObject, field: string): KptfileObject {
  const value = object[field];
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Map) ? value : {};
}

export function listIn(object: KptfileObject, field: string): KptfileObject[] {
  const value = object[field];
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => (typeof one === "string" ? [] : [one]));
}

/** The whole as kpt writes it: fields in the schema's order, empty ones left out, comments gone. */
export function printKptfile(content: KptfileObject): string {
  return printYaml({ root: objectNode(content, "Kptfile") }, { seqIndent: "wide" });
}

const alwaysWritten = new Set(["exitCode", "conditionType", "type", "status"]);

/** Field by field in the order of its type. */
export function objectNode(content: KptfileObject, typeName: string): MappingNode {
  const node = mapping();
  for (const [field, type] of Object.entries(kptfileTypes[typeName]?.fields ?? {})) {
    const value = content[field];
    if (value === undefined || (isEmpty(value) && !(alwaysWritten.has(field) && typeName !== "Upstream")))
      continue;
    const inner = typeof type === "string" ? "" : "object" in type ? type.object : type.list;
    node.entries.push({ key: text(field), value: valueNode(value, inner) });
  }
  return node;
}

function valueNode(value: KptfileValue, typeName: string): YamlNode {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return scalar(String(value));
  if (value instanceof Map)
    return mapping(
      [...value.keys()]
        .sort(byCodePoint)
        .map((key) => ({ key: text(key), value: text(value.get(key) ?? "") })),
    );
  if (!Array.isArray(value)) return objectNode(value, typeName);
  return sequence(value.map((one) => (typeof one === "string" ? text(one) : objectNode(one, typeName))));
}

/** What Go's omitempty leaves out; a pointer to an empty object is none of it. */
function isEmpty(value: KptfileValue): boolean {
  if (value === "" || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0;
}
