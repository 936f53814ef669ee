import { parseLabelSelector, SelectorError } from "@capstan/formats";
import { goRegexp } from "@capstan/formats/re2";
import {
  copyNode,
  fieldAt,
  isNull,
  itemsAt,
  type MappingNode,
  scalar,
  textAt,
  type YamlNode,
} from "@capstan/krm-yaml";
import { groupOf, versionOf } from "@capstan/model";
import { failed, type KrmFunction, type ResourceList } from "../function.ts";
import { annotationsOf, type Item, identityOf, labelsOf } from "../item.ts";
import { type FieldPlace, findPlaces, splitPath } from "./field-paths.ts";
import { problem } from "./function-config.ts";
import { inLibraryOrder } from "./library-order.ts";

/** Copies values from one resource into others (kustomize's replacements). */
export const applyReplacements: KrmFunction = inLibraryOrder((list) => {
  try {
    for (const replacement of readReplacements(list)) {
      const value = sourceValue(list.items, replacement);
      for (const target of itemsAt(replacement, "targets")) copyInto(list.items, target, value);
    }
  } catch (error) {
    if (!(error instanceof ReplacementError)) throw error;
    list.results = [problem(error.message)];
    return failed;
  }
  return undefined;
});

class ReplacementError extends Error {}

function readReplacements({ functionConfig: config }: ResourceList): MappingNode[] {
  if (!config) throw new ReplacementError("FunctionConfig is missing. Expect `ApplyReplacements`");
  const [kind, apiVersion] = [textAt(config, "kind"), textAt(config, "apiVersion")];
  if (kind !== "ApplyReplacements" || apiVersion !== "fn.kpt.dev/v1alpha1")
    throw new ReplacementError(
      `received functionConfig of kind ${kind} and apiVersion ${apiVersion}, only functionConfig of kind ApplyReplacements and apiVersion fn.kpt.dev/v1alpha1 is supported`,
    );
  return itemsAt(config, "replacements").filter((one) => one.kind === "mapping");
}

function sourceValue(items: readonly Item[], replacement: MappingNode): YamlNode {
  const [source, given] = [fieldAt(replacement, "source"), fieldAt(replacement, "sourceValue")];
  if ((!source && !given) || !fieldAt(replacement, "targets"))
    throw new ReplacementError("replacements must specify a source and at least one target");
  if (source && given) throw new ReplacementError("value and resource selectors are mutually exclusive");
  if (!source) return scalar(given?.kind === "scalar" ? given.value : "");
  const matching = items.filter((item) => isSelectedBy(item, source, "exact"));
  const [item, second] = matching;
  if (second) throw new ReplacementError(`multiple matches for selector ${describe(source)}`);
  if (!item) throw new ReplacementError(`nothing selected by ${describe(source)}`);
  const path = textAt(source, "fieldPath") || "metadata.name";
  const node = findPlaces(item.root, splitPath(path), undefined)[0]?.node;
  if (!node || isNull(node))
    throw new ReplacementError(
      `fieldPath \`${path}\` is missing for replacement source ${describe(source).replace(/:[^:]*$/, "")}`,
    );
  return refined(node, fieldAt(source, "options"));
}

/** One part of a text between delimiters. */
function refined(node: YamlNode, options: YamlNode | undefined): YamlNode {
  const delimiter = textAt(options, "delimiter");
  if (delimiter === "") return copyNode(node);
  if (node.kind !== "scalar")
    throw new ReplacementError("delimiter option can only be used with scalar nodes");
  const index = Number(textAt(options, "index") || 0);
  const part = node.value.split(delimiter)[index];
  if (part === undefined || index < 0)
    throw new ReplacementError(`options.index ${index} is out of bounds for value ${node.value}`);
  return { ...copyNode(node), value: part };
}

function copyInto(items: readonly Item[], target: YamlNode, value: YamlNode): void {
  const select = fieldAt(target, "select");
  if (!select) throw new ReplacementError("target must specify resources to select");
  const paths = itemsAt(target, "fieldPaths").flatMap((path) => (path.kind === "scalar" ? [path.value] : []));
  const options = fieldAt(target, "options");
  const create = textAt(options, "create") === "true";
  for (const item of items) {
    const isRejected = itemsAt(target, "reject").some((reject) => isSelectedBy(item, reject, "pattern"));
    if (isRejected || !isSelectedBy(item, select, "pattern")) continue;
    for (const path of paths.length > 0 ? paths : ["metadata.name"]) {
      const places = findPlaces(item.root, splitPath(path), create ? value.kind : undefined);
      if (places.length === 0)
        throw new ReplacementError(
          `unable to find ${create ? "or create " : ""}field "${path}" in replacement target`,
        );
      for (const place of places) setPlace(place, value, options);
    }
  }
}

function setPlace({ node, replace }: FieldPlace, given: YamlNode, options: YamlNode | undefined): void {
  const value = copyNode(given);
  const delimiter = textAt(options, "delimiter");
  if (delimiter !== "") {
    if (node.kind !== "scalar" || value.kind !== "scalar")
      throw new ReplacementError("delimiter option can only be used with scalar nodes");
    value.value = withPart(
      node.value.split(delimiter),
      Number(textAt(options, "index") || 0),
      value.value,
    ).join(delimiter);
  }
  // The type of what was there holds: a number that becomes a text of digits stays one.
  if (node.kind === "scalar" && value.kind === "scalar") node.value = value.value;
  else replace(value);
}

function withPart(parts: string[], index: number, value: string): string[] {
  if (index < 0) return [value, ...parts];
  return index >= parts.length ? [...parts, value] : parts.with(index, value);
}

type Comparison = "exact" | "pattern";

/** Empty fields match all; of targets they are regular expressions over the whole (kustomize SelectorRegex). */
function isSelectedBy(item: Item, selector: YamlNode, comparison: Comparison): boolean {
  const { apiVersion, kind, name, namespace } = identityOf(item);
  const fields = { group: groupOf(apiVersion), version: versionOf(apiVersion), kind, name, namespace };
  const isMatch = Object.entries(fields).every(([field, value]) => {
    const wanted = textAt(selector, field);
    if (wanted === "" || wanted === value) return true;
    if (field === "namespace" && wanted === "default" && value === "") return true;
    return comparison === "pattern" && matchesWhole(wanted, value);
  });
  return (
    isMatch &&
    matchesLabels(labelsOf(item), textAt(selector, "labelSelector")) &&
    matchesLabels(annotationsOf(item), textAt(selector, "annotationSelector"))
  );
}

function matchesWhole(pattern: string, value: string): boolean {
  try {
    return goRegexp(`^(?:${pattern})$`).test(value);
  } catch (error) {
    throw new ReplacementError(
      `error creating target selector: ${error instanceof Error ? error.message : pattern}`,
    );
  }
}

function matchesLabels(labels: ReadonlyMap<string, string>, selector: string): boolean {
  try {
    return parseLabelSelector(selector)(Object.fromEntries(labels));
  } catch (error) {
    if (error instanceof SelectorError) throw new ReplacementError(error.message);
    throw error;
  }
}

/** kind.version.group/name.namespace:fieldPath with kustomize's words for what is not given. */
function describe(selector: YamlNode): string {
  const [group, version, kind] = ["group", "version", "kind"].map((field) => textAt(selector, field));
  const gvk = `${kind || "[noKind]"}.${version || "[noVer]"}.${group || "[noGrp]"}`;
  const name = textAt(selector, "name") || "[noName]";
  const namespace = textAt(selector, "namespace") || "[noNs]";
  return `${gvk}/${name}.${namespace}:${textAt(selector, "fieldPath")}`;
}
