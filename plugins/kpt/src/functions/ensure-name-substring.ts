import { fieldAt, type MappingNode, rewrite, textAt } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import type { KrmFunction } from "../function.ts";
import { annotate, annotationOf, clearAnnotation, type Item, identityOf, notes } from "../item.ts";
import { type FieldSpec, fieldSpec, findFields, isSelected, readFieldSpecs } from "./field-specs.ts";
import { dataOf, isConfigMap, isFnKind } from "./function-config.ts";
import { isNamespaced } from "./kube-scope.ts";
import { type Renamed, updateReferences } from "./name-references.ts";
import { sameResource } from "./same-resource.ts";

const dependsOn = "config.kubernetes.io/depends-on";
const modes = ["prepend", "append"];

interface Wanted {
  substring: string;
  mode: string;
  fields: FieldSpec[];
}

/** Puts a text before or behind every name that does not hold it yet, and mends what refers to the names. */
export const ensureNameSubstring: KrmFunction = (list) => {
  const wanted = readConfig(list.functionConfig);
  if (typeof wanted === "string")
    return { exitCode: 1, stderr: `failed to load the \`functionConfig\`: ${wanted}` };
  const twice = sameResource(list.items);
  if (twice !== undefined)
    return { exitCode: 1, stderr: `failed to convert items to resource map: ${twice}` };
  const known = new Set(list.items.map(keyOf));
  const add = (name: string): string => {
    // Only a ConfigMap's mode is checked; in an EnsureNameSubstring any other word changes nothing.
    if (wanted.mode === "prepend") return wanted.substring + name;
    return wanted.mode === "append" ? name + wanted.substring : name;
  };
  const renamed: Renamed[] = [];
  for (const item of list.items) {
    if (isSkipped(item)) continue;
    const { apiVersion, kind, namespace } = identityOf(item);
    for (const spec of wanted.fields.filter((one) => isSelected({ apiVersion, kind }, one)))
      for (const { node, path } of findFields(item.root, spec, "scalar")) {
        if (node.kind !== "scalar" || node.value.includes(wanted.substring)) continue;
        const from = node.value;
        node.value = add(from);
        if (path === "metadata.name")
          renamed.push({
            group: groupOf(apiVersion),
            kind,
            namespace,
            isNamespaced: isNamespaced(item),
            from,
            to: node.value,
          });
        updateDependsOn(item, known, add);
      }
  }
  updateReferences(list.items, renamed);
  // The program hands its resources through kustomize, which forgets what was noted on them (RemoveBuildAnnotations).
  for (const item of list.items) forget(item);
  return undefined;
};

function readConfig(config: MappingNode | undefined): Wanted | string {
  if (!config)
    return "function config must be either /v1, Kind=ConfigMap or fn.kpt.dev/v1alpha1, Kind=EnsureNameSubstring";
  const names = [fieldSpec("metadata/name")];
  if (isConfigMap(config)) {
    const [entry, ...others] = dataOf(config);
    if (!entry || others.length > 0)
      return `only 1 entry is allowed in the ConfigMap, but got: ${dataOf(config).size}`;
    const [mode, substring] = entry;
    if (!modes.includes(mode)) return `unknown editMode: ${mode}, only prepend and append are allowed`;
    return substring === "" ? "substring must not be empty" : { substring, mode, fields: names };
  }
  if (!isFnKind(config, "EnsureNameSubstring"))
    return `function config must be either /v1, Kind=ConfigMap or fn.kpt.dev/v1alpha1, Kind=EnsureNameSubstring, but we got: ${textAt(config, "apiVersion")}, Kind=${textAt(config, "kind")}`;
  const substring = textAt(config, "substring");
  if (substring === "") return "substring must not be empty";
  const [extra, former] = [
    readFieldSpecs(config, "additionalNameFields"),
    readFieldSpecs(config, "fieldSpecs"),
  ];
  if (extra.length > 0 && former.length > 0)
    return "`fieldSpecs` has been deprecated, please rename it to `additionalNameFields`";
  return {
    substring,
    mode: textAt(config, "editMode") || "prepend",
    fields: [...names, ...extra, ...former],
  };
}

function isSkipped(item: Item): boolean {
  const { apiVersion, kind } = identityOf(item);
  const group = groupOf(apiVersion);
  if (kind === "CustomResourceDefinition" || kind === "Namespace") return true;
  return (
    (kind === "APIService" && group === "apiregistration.k8s.io") ||
    (kind === "Kptfile" && group === "kpt.dev")
  );
}

function keyOf(item: Item): string {
  const { apiVersion, kind, name } = identityOf(item);
  return [groupOf(apiVersion), kind, name].join("/");
}

function updateDependsOn(item: Item, known: ReadonlySet<string>, add: (name: string) => string): void {
  const value = annotationOf(item, dependsOn);
  const parts = value.split("/");
  const isScoped = /^[-.\w]*\/namespaces\/[-.\w]*\/[-.\w]*\/[-.\w]*$/.test(value);
  if (!isScoped && !/^[-.\w]*\/[-.\w]*\/[-.\w]*$/.test(value)) return;
  const [group = "", kind = "", name = ""] = isScoped ? [parts[0], parts[3], parts[4]] : parts;
  if (known.has([group, kind, name].join("/")))
    annotate(item, dependsOn, [...parts.slice(0, -1), add(name)].join("/"));
}

function forget(item: Item): void {
  const forgotten = [notes.path, notes.index, notes.seqIndent, notes.id, notes.migrationId];
  for (const note of [...forgotten, notes.legacyPath, notes.legacyIndex]) clearAnnotation(item, note);
  const annotations = fieldAt(item.root, "metadata", "annotations");
  if (annotations?.kind !== "mapping") return;
  for (const { value } of annotations.entries) if (value.kind === "scalar") rewrite(value, value.value);
}
