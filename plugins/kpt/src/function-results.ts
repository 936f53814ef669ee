import { mapping, printYaml, scalar, sequence, text } from "@capstan/krm-yaml";
import type { ResultItem } from "./function.ts";
import { objectNode } from "./kptfile.ts";
import type { KptfileObject } from "./read-kptfile.ts";

/** One function's run, as results.yaml lists it (api/fnresult/v1). */
export interface FunctionResult {
  image: string;
  exec: string;
  stderr: string;
  exitCode: number;
  results: readonly ResultItem[];
}

export interface ResultList {
  exitCode: number;
  items: FunctionResult[];
}

export function printResultList({ exitCode, items }: ResultList): string {
  const root = mapping([
    { key: text("apiVersion"), value: text("kpt.dev/v1") },
    { key: text("kind"), value: text("FunctionResultList") },
    { key: text("metadata"), value: mapping([{ key: text("name"), value: text("fnresults") }]) },
    { key: text("exitCode"), value: scalar(String(exitCode)) },
  ]);
  const nodes = items.map((item) => objectNode(resultObject(item), "StepResult"));
  if (nodes.length > 0) root.entries.push({ key: text("items"), value: sequence(nodes) });
  return printYaml({ root }, { seqIndent: "wide" });
}

export function resultObject({ image, exec, stderr, exitCode, results }: FunctionResult): KptfileObject {
  return { image, exec, stderr, exitCode, results: results.map(itemObject) };
}

export function itemObject({ message, severity, resourceRef, field, file, tags }: ResultItem): KptfileObject {
  return {
    message,
    ...(severity === undefined ? {} : { severity }),
    ...(resourceRef === undefined ? {} : { resourceRef: { ...defined(resourceRef) } }),
    ...(field === undefined ? {} : { field: { ...defined(field) } }),
    ...(file === undefined ? {} : { file: { ...defined(file) } }),
    ...(tags === undefined ? {} : { tags: new Map(tags) }),
  };
}

function defined(object: Record<string, string | number | undefined>): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(object)) if (value !== undefined) kept[key] = value;
  return kept;
}

/** "[error] apps/v1/Deployment/web spec.replicas: message" */
export function describeResult({ message, severity, resourceRef, field }: ResultItem): string {
  const { apiVersion, kind, namespace, name } = resourceRef ?? {};
  const identity = [apiVersion, kind, namespace, name].filter((part) => part !== undefined && part !== "");
  const parts = [`[${severity || "info"}]`];
  if (identity.length > 0) parts.push(identity.join("/"));
  if (field) parts.push(field.path ?? "");
  return `${parts.join(" ")}: ${message}`;
}
