import { isRecord } from "@capstan/formats";
import { messageOf, parseYaml, type ResourceIgnoreDifferences } from "@capstan/model";
import { listAt, textAt } from "../read-json.ts";
import type { ValueReader } from "./read-values.ts";
import type { KnownTypeField } from "./settings.ts";

interface Written {
  /** resource.customizations, read. */
  readonly block: unknown;
  readonly raw: Readonly<Record<string, string>>;
}

/** Nothing where it is absent or, with a problem, cannot be read. */
export function readYaml(reader: ValueReader, field: string): unknown {
  const text = reader.text(field);
  if (text === undefined) return undefined;
  try {
    return parseYaml(text, { file: field });
  } catch (error) {
    reader.problem(field, messageOf(error));
    return undefined;
  }
}

const splitKey = "resource.customizations.ignoreDifferences.";

/** Both forms: the split keys, and ignoreDifferences inside resource.customizations (a YAML text within YAML). */
export function readIgnoreDifferences(
  reader: ValueReader,
  { block, raw }: Written,
): ResourceIgnoreDifferences[] {
  const found: ResourceIgnoreDifferences[] = [];
  for (const field of Object.keys(raw)) {
    const problem = (text: string) => reader.problem(field, text);
    if (field.startsWith(splitKey))
      found.push(readRule(field.slice(splitKey.length), readYaml(reader, field), problem));
  }
  for (const [groupKind, customization] of Object.entries(isRecord(block) ? block : {})) {
    const text = isRecord(customization) ? textAt(customization, "ignoreDifferences") : undefined;
    if (text === undefined) continue;
    try {
      const problem = (said: string) => reader.problem("resource.customizations", `${groupKind}: ${said}`);
      found.push(readRule(groupKind.replace("/", "_"), parseYaml(text), problem));
    } catch (error) {
      reader.problem("resource.customizations", `${groupKind}: ${messageOf(error)}`);
    }
  }
  return found;
}

const ruleFields: readonly string[] = ["jsonPointers", "jqPathExpressions", "managedFieldsManagers"];

function readRule(
  groupKind: string,
  value: unknown,
  problem: (text: string) => void,
): ResourceIgnoreDifferences {
  if (value !== undefined && value !== null && !isRecord(value))
    problem("is not an object with jsonPointers");
  const rule = isRecord(value) ? value : {};
  for (const [field, given] of Object.entries(rule)) {
    if (!ruleFields.includes(field)) problem(`${field} is none of ${ruleFields.join(", ")}`);
    else if (given !== null && !Array.isArray(given)) problem(`${field} is not a list`);
  }
  const texts = (field: string) => listAt(rule, field).map(String);
  const isAll = groupKind === "all" || groupKind === "*_*";
  return {
    ...(isAll ? { group: "*", kind: "*" } : kindOf(groupKind)),
    jsonPointers: texts("jsonPointers"),
    jqPathExpressions: texts("jqPathExpressions"),
    managedFieldsManagers: texts("managedFieldsManagers"),
  };
}

function kindOf(groupKind: string): { group: string; kind: string } {
  const underscore = groupKind.lastIndexOf("_");
  return {
    group: underscore < 0 ? "" : groupKind.slice(0, underscore),
    kind: groupKind.slice(underscore + 1),
  };
}

const typesKey = "resource.customizations.knownTypeFields.";

/** Both forms: the split keys, and knownTypeFields inside resource.customizations (util/argo/normalizers knownTypes). */
export function readKnownTypeFields(reader: ValueReader, { block, raw }: Written): KnownTypeField[] {
  const found: KnownTypeField[] = [];
  const read = (groupKind: string, value: unknown, problem: (text: string) => void): void => {
    if (value === undefined || value === null) return;
    if (!Array.isArray(value)) problem("is not a list of field and type");
    else
      for (const [index, entry] of value.entries()) {
        const { field, type } = isRecord(entry) ? entry : {};
        if (typeof field !== "string" || field === "" || typeof type !== "string")
          problem(`[${index}] is not an object with field and type`);
        else if (!knownType.test(type))
          problem(`[${index}]: type ${type} is none of core/v1/<Type>, core/Quantity, meta/v1/Duration`);
        else found.push({ ...kindOf(groupKind), field: field.split("."), type });
      }
  };
  for (const key of Object.keys(raw))
    if (key.startsWith(typesKey))
      read(key.slice(typesKey.length), readYaml(reader, key), (text) => reader.problem(key, text));
  for (const [groupKind, parts] of Object.entries(isRecord(block) ? block : {})) {
    const problem = (text: string) =>
      reader.problem("resource.customizations", `${groupKind}: knownTypeFields ${text}`);
    if (isRecord(parts)) read(groupKind.replace("/", "_"), parts.knownTypeFields, problem);
  }
  return found;
}

const knownType = /^(?:core\/v1\/[A-Z]\w*|core\/Quantity|meta\/v1\/Duration)$/;
