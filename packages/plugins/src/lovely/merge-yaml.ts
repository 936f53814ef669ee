import { CapstanError, dumpYaml, isRecord, messageOf, parseYaml, parseYamlDocuments } from "@capstan/model";
import { applyPatch } from "./json-patch.ts";

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
  const [first, ...others] = parseYamlDocuments(text, { file }).map(({ value }) => value);
  return [editValue(first ?? {}, edit), ...others].map((one) => dumpYaml(one)).join("---\n");
}

export function editValue(value: unknown, { mergeName, patchName, merge, patch }: FileEdit): unknown {
  const merged = merge === "" ? value : mergeDocument(value, parseYaml(merge, { file: mergeName }));
  if (patch === "") return merged;
  const operations = parseYaml(patch, { file: patchName });
  if (!Array.isArray(operations)) throw invalid(patchName, "it must be a list of operations");
  try {
    return applyPatch(merged, operations);
  } catch (error) {
    throw invalid(patchName, messageOf(error));
  }
}

function mergeDocument(base: unknown, over: unknown): unknown {
  const isKustomization =
    isRecord(base) && base.kind === "Kustomization" && base.apiVersion === "kustomize.config.k8s.io/v1beta1";
  return mergeValues(base, over, isKustomization ? namedLists : new Set()) ?? {};
}

/** Nothing where the value is taken away: by null, or by a directive. */
function mergeValues(base: unknown, over: unknown, named: ReadonlySet<string>): unknown {
  if (over === null) return undefined;
  if (!isRecord(over)) return over;
  const { $patch: directive, ...fields } = over;
  if (directive === "delete") return undefined;
  const merged: Record<string, unknown> = isRecord(base) && directive !== "replace" ? { ...base } : {};
  for (const [name, value] of Object.entries(fields)) {
    const before = merged[name];
    const result =
      named.has(name) && Array.isArray(value)
        ? mergeNamed(Array.isArray(before) ? before : [], value)
        : mergeValues(before, value, new Set());
    if (result === undefined) delete merged[name];
    else merged[name] = result;
  }
  return merged;
}

function mergeNamed(base: readonly unknown[], over: readonly unknown[]): unknown[] {
  const merged = [...base];
  for (const item of over) {
    const at = merged.findIndex((one) => isRecord(one) && isRecord(item) && one.name === item.name);
    const result = mergeValues(merged[at], item, new Set());
    if (at < 0) merged.push(result);
    else if (result === undefined) merged.splice(at, 1);
    else merged[at] = result;
  }
  return merged.filter((one) => one !== undefined);
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}
