import { type MappingNode, tagOf, textAt, textsAt, type YamlNode } from "@capstan/krm-yaml";
import type { FunctionEnd, ResourceList, ResultItem, Severity } from "../function.ts";
import { fileOf, type Item } from "../item.ts";

export function isConfigMap(config: MappingNode): boolean {
  return textAt(config, "apiVersion") === "v1" && textAt(config, "kind") === "ConfigMap";
}

export function isFnKind(config: MappingNode, kind: string): boolean {
  return textAt(config, "apiVersion") === "fn.kpt.dev/v1alpha1" && textAt(config, "kind") === kind;
}

export function dataOf(config: MappingNode | undefined): Map<string, string> {
  return textsAt(config, "data");
}

export function info(message: string): ResultItem {
  return { message, severity: "info" };
}

export function problem(message: string, severity: Severity = "error"): ResultItem {
  return { message, severity };
}

/** A result about an object, as kpt's Go library fills it in (ConfigObjectResult). */
export function aboutConfig(message: string, config: MappingNode | undefined): ResultItem {
  const item: Item | undefined = config && { root: config, head: "", foot: "" };
  const ref = {
    apiVersion: textAt(config, "apiVersion"),
    kind: textAt(config, "kind"),
    name: textAt(config, "metadata", "name"),
    namespace: textAt(config, "metadata", "namespace"),
  };
  const { path, index } = item ? fileOf(item) : { path: "", index: "" };
  const file = { ...(path === "" ? {} : { path }), index: index === "" ? -1 : Number(index) };
  return { message, severity: "error", resourceRef: onlySet(ref), file };
}

function onlySet(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** As programs made with kyaml's first framework end: they print the error, and so does the framework. */
export function refuse(list: ResourceList, what: string, message: string): FunctionEnd {
  list.results = [problem(`${what}: ${message}`)];
  return { exitCode: 1, stderr: `${message}${message}` };
}

/** As programs of kpt's Go library end that gave up in the middle (ResultErrAndDie). */
export function terminate(list: ResourceList, message: string): FunctionEnd {
  const end = `function is terminated: ${message}`;
  list.results.push(problem(message), problem(end));
  return { exitCode: 1, stderr: `failed to evaluate function: ${end}` };
}

/** Why a node cannot be read into a Go map of texts, in the words of encoding/json; nothing where it can. */
export function notTexts(node: YamlNode | undefined, field: string): string | undefined {
  const wanted = `into Go struct field ${field} of type`;
  if (node === undefined || (node.kind === "scalar" && tagOf(node) === "!!null")) return undefined;
  if (node.kind === "sequence") return `json: cannot unmarshal array ${wanted} map[string]string`;
  if (node.kind !== "mapping") return `json: cannot unmarshal ${jsonType(node)} ${wanted} map[string]string`;
  const wrong = node.entries.find(({ value }) => jsonType(value) !== "string" && jsonType(value) !== "null");
  return wrong && `json: cannot unmarshal ${jsonType(wrong.value)} ${wanted} string`;
}

function jsonType(node: YamlNode): string {
  if (node.kind === "sequence") return "array";
  if (node.kind !== "scalar") return "object";
  const types: Record<string, string> = {
    "!!int": "number",
    "!!float": "number",
    "!!bool": "bool",
    "!!null": "null",
  };
  return types[tagOf(node)] ?? "string";
}
