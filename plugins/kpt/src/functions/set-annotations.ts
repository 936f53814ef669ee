import {
  byCodePoint,
  fieldAt,
  type MappingNode,
  type ScalarStyle,
  scalar,
  setField,
  setText,
  textsAt,
} from "@capstan/krm-yaml";
import type { FunctionEnd, KrmFunction, ResultItem } from "../function.ts";
import { fileOf, identityOf } from "../item.ts";
import { type FieldSpec, fieldSpec, findFields, isSelected, readFieldSpecs } from "./field-specs.ts";
import { dataOf, isConfigMap, isFnKind, problem } from "./function-config.ts";
import { sameResource } from "./same-resource.ts";

const inPods = "spec/template/metadata/annotations";
const create = true;

/** Where annotations go without being told (kustomize commonAnnotations). */
const defaults: readonly FieldSpec[] = [
  fieldSpec("metadata/annotations", "", { create }),
  fieldSpec(inPods, "ReplicationController", { version: "v1", create }),
  ...["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"].map((kind) =>
    fieldSpec(inPods, kind, { create }),
  ),
  fieldSpec(inPods, "Job", { group: "batch", create }),
  fieldSpec("spec/jobTemplate/metadata/annotations", "CronJob", { group: "batch", create }),
  fieldSpec("spec/jobTemplate/spec/template/metadata/annotations", "CronJob", { group: "batch", create }),
];

interface Wanted {
  annotations: [key: string, value: string][];
  fields: FieldSpec[];
}

/** Sets annotations on every resource and in its pods. */
export const setAnnotations: KrmFunction = (list) => {
  const wanted = readConfig(list.functionConfig);
  const fail = (message: string): FunctionEnd => {
    const result = problem(message);
    list.results = [result];
    return { exitCode: 1, stderr: `[error]: ${result.message}` };
  };
  if (typeof wanted === "string") return fail(`failed to configure function: ${wanted}`);
  const twice = sameResource(list.items);
  if (twice !== undefined) return fail(`failed to run function: ${twice}`);
  const shown = `set annotations: ${JSON.stringify(Object.fromEntries(wanted.annotations))}`;
  // Fields of the same path in files of the same name, as in two packages, are told once.
  const results = new Map<string, ResultItem>();
  for (const item of list.items) {
    const { path, index } = fileOf(item);
    const file = { path, ...(Number(index) > 0 ? { index: Number(index) } : {}) };
    const touched = new Set<string>();
    const quotes = new Map<string, ScalarStyle>();
    for (const spec of wanted.fields) {
      if (!isSelected(identityOf(item), spec)) continue;
      for (const field of findFields(item.root, spec, "mapping")) {
        if (field.node.kind !== "mapping") continue;
        for (const [key, value] of wanted.annotations) put(field.node, { key, value, quotes });
        touched.add(field.path);
      }
    }
    for (const field of touched)
      results.set([path, index, field].join("\n"), { message: shown, field: { path: field }, file });
  }
  list.results =
    results.size > 0 ? [...results.values()].sort(inOrder) : [{ message: "no annotations applied" }];
  return undefined;
};

interface Annotation {
  key: string;
  value: string;
  /** Of the resource's annotations so far. */
  quotes: Map<string, ScalarStyle>;
}

/** An annotation that is there keeps its quotes, and the new ones of the resource have the same (kyaml FieldSetter). */
function put(annotations: MappingNode, { key, value, quotes }: Annotation): void {
  const old = fieldAt(annotations, key);
  const isQuoted = old?.kind === "scalar" && (old.style === "double" || old.style === "single");
  const style = quotes.get(key) ?? (isStructure(value) ? "double" : undefined);
  if (isQuoted && !value.includes("\n")) {
    old.value = value;
    quotes.set(key, old.style);
  } else if (!old && style) setField(annotations, key, scalar(value, style));
  else setText(annotations, [key], value);
}

/** Read as YAML it is a list, a mapping or nothing (kyaml yaml.IsValueNonString). */
function isStructure(value: string): boolean {
  if (/^(?:\[.*\]|\{.*\}|- .*|#.*)$/.test(value)) return true;
  const entry = /^[^\s"'[\]{},&*!|>%@`#?-][^#]*?:(?: +(.*))?$/.exec(value);
  return entry !== null && !/: |:$|^["'[{&*!|>%@`]/.test(entry[1] ?? "");
}

function readConfig(config: MappingNode | undefined): Wanted | string {
  const isKnown = config && (isFnKind(config, "SetAnnotations") || isFnKind(config, "SetAnnotationConfig"));
  if (!config || (!isConfigMap(config) && !isKnown))
    return "`functionConfig` must be a `ConfigMap` or `SetAnnotations`";
  const annotations = isConfigMap(config) ? dataOf(config) : textsAt(config, "annotations");
  if (annotations.size === 0) return "input annotation list cannot be empty";
  const [extra, former] = [
    readFieldSpecs(config, "additionalAnnotationFields"),
    readFieldSpecs(config, "fieldSpecs"),
  ];
  if (extra.length > 0 && former.length > 0)
    return "`fieldSpecs` has been deprecated, please rename it to `additionalAnnotationFields`";
  const sorted = [...annotations].sort(([one], [other]) => byCodePoint(one, other));
  return { annotations: sorted, fields: [...extra, ...former, ...defaults] };
}

function inOrder(one: ResultItem, other: ResultItem): number {
  return (
    byCodePoint(one.file?.path ?? "", other.file?.path ?? "") ||
    (one.file?.index ?? 0) - (other.file?.index ?? 0) ||
    byCodePoint(one.field?.path ?? "", other.field?.path ?? "")
  );
}
