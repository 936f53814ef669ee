import { applyJsonPatch, isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import {
  entryOf,
  isNull,
  mapping,
  printYaml,
  readYaml,
  removeField,
  type ScalarNode,
  type SequenceNode,
  sequence,
  setField,
  textAt,
  withoutAliases,
  type YamlNode,
} from "@capstan/krm-yaml";
import { CapstanError, messageOf, parseYaml, parseYamlDocuments } from "@capstan/model";

export interface FileEdit {
  /** Settings that the texts come from, for errors. */
  readonly mergeName: string;
  readonly patchName: string;
  readonly merge: string;
  readonly patch: string;
}

/** Lists whose items are told apart by name (kyaml kustomizationapi swagger.json). */
const namedLists: ReadonlySet<string> = new Set(["configMapGenerator", "secretGenerator"]);

export function isEdit({ merge, patch }: FileEdit): boolean {
  return merge !== "" || patch !== "";
}

/** A YAML file with what is merged into its first document and then patched there (kyaml merge2, RFC 6902). */
export function editYaml(text: string, edit: FileEdit, file: string): string {
  const [, ...others] = parseYamlDocuments(text, { file }).map(({ value }) => value);
  return [editValue(text, edit, file), ...others].map((one) => dumpYaml(one)).join("---\n");
}

/** The value of the first document. */
export function editValue(text: string, edit: FileEdit, file: string): unknown {
  const { mergeName, patchName, merge, patch } = edit;
  const merged =
    merge === "" ? firstValue(text, file) : mergeTexts({ text, file }, { text: merge, file: mergeName });
  if (patch === "") return merged;
  const operations = parseYaml(patch, { file: patchName }) ?? [];
  if (!Array.isArray(operations)) throw invalid(patchName, "it must be a list of operations");
  try {
    return applyJsonPatch(merged, operations);
  } catch (error) {
    throw invalid(patchName, messageOf(error));
  }
}

interface Source {
  readonly text: string;
  readonly file: string;
}

function firstValue(text: string, file: string): unknown {
  return parseYamlDocuments(text, { file })[0]?.value ?? {};
}

function mergeTexts(base: Source, over: Source): unknown {
  const value = firstValue(base.text, base.file);
  const overValue = parseYaml(over.text, { file: over.file });
  if (overValue === undefined || overValue === null) return value;
  if (!isRecord(value)) throw invalid(over.file, `${base.file} is no map, so nothing can be merged into it`);
  if (!isRecord(overValue)) throw invalid(over.file, "it must be a map");
  const named = [value, overValue].some(isKustomization) ? namedLists : new Set<string>();
  const merged = mergeNodes(rootOf(base), rootOf(over), named) ?? mapping();
  return parseYaml(printYaml({ root: merged }, { seqIndent: "compact" }), { file: base.file });
}

function rootOf({ text, file }: Source): YamlNode {
  const [document] = readYaml(file, text);
  return document ? withoutAliases(document.root, file) : mapping();
}

function isKustomization(value: Record<string, unknown>): boolean {
  return value.kind === "Kustomization" && value.apiVersion === "kustomize.config.k8s.io/v1beta1";
}

/** Nothing where the value is taken away: by null, or by a directive. */
function mergeNodes(
  base: YamlNode | undefined,
  over: YamlNode,
  named: ReadonlySet<string>,
): YamlNode | undefined {
  if (isNull(over)) return undefined;
  if (over.kind === "scalar") return inQuotesOf(base, over);
  if (over.kind !== "mapping") return over;
  const directive = textAt(over, "$patch");
  if (directive === "delete") return undefined;
  const merged = mapping(base?.kind === "mapping" && directive !== "replace" ? [...base.entries] : []);
  for (const { key, value } of over.entries) {
    if (key.value === "$patch") continue;
    const before = entryOf(merged, key.value)?.value;
    const result =
      named.has(key.value) && value.kind === "sequence"
        ? mergeNamed(before, value)
        : mergeNodes(before, value, new Set());
    if (result === undefined) removeField(merged, key.value);
    else setField(merged, key.value, result);
  }
  return merged;
}

/** What stood in quotes stays text: `1.20` in the place of `"1.10"` is `"1.20"` (kyaml FieldSetter). */
function inQuotesOf(base: YamlNode | undefined, over: ScalarNode): ScalarNode {
  const isText = base?.kind === "scalar" && base.style !== "plain" && over.tag === "";
  return isText ? { ...over, style: "double" } : over;
}

function mergeNamed(base: YamlNode | undefined, over: SequenceNode): SequenceNode {
  const merged = base?.kind === "sequence" ? [...base.items] : [];
  for (const item of over.items) {
    const name = textAt(item, "name");
    const at = merged.findIndex((one) => textAt(one, "name") === name);
    const result = mergeNodes(merged[at], item, new Set());
    if (at >= 0) merged.splice(at, 1, ...(result ? [result] : []));
    else if (result) merged.push(result);
  }
  return sequence(merged);
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}
