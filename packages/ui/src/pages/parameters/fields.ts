import type { ParameterAnnouncement, PluginParameter } from "@capstan/model";
import type { DescribedStage, SourceDescription } from "@capstan/wire";
import type { Draft, DraftParameter } from "./draft.ts";

export type FieldKind = "string" | "number" | "boolean" | "array" | "map";

/** One parameter that a plugin takes or that the application sets for it. */
export interface Field {
  /** How the application names it: `STAGE/NAME` in a pipeline. */
  readonly address: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly tooltip: string | undefined;
  readonly required: boolean;
  readonly kind: FieldKind;
  /** Of a list's or a map's items. */
  readonly itemKind: "string" | "number" | "boolean";
  /** The only values of a single one; empty: any. */
  readonly choices: readonly string[];
  /** What holds when the application sets nothing. */
  readonly byDefault: PluginParameter;
  /** Where that default comes from. */
  readonly defaultFrom: "plugin" | "pipeline" | "stages";
  /** No plugin announced it. */
  readonly isUnknown: boolean;
}

export interface FieldGroup {
  readonly stage: DescribedStage;
  /** There are several stages. */
  readonly isStage: boolean;
  readonly fields: readonly Field[];
}

/** The fields of each stage: those that are announced, then those that are set all the same. */
export function fieldGroups({ stages, helm }: SourceDescription, draft: Draft): FieldGroup[] {
  const isPipeline = stages.length > 1;
  if (helm) return [];
  const groups = stages.map((stage): FieldGroup => {
    const prefix = isPipeline ? `${stage.name}/` : "";
    const announced = stage.announced.map((one) => announcedField(one, { stage, prefix, draft }));
    const known = new Set(announced.map(({ address }) => address));
    const set = draft.parameters.filter(({ name }) => !isPipeline || name.startsWith(prefix));
    const others = [
      ...stage.parameters.map(({ name = "" }) => prefix + name),
      ...set.map(({ name }) => name),
    ].filter((address) => !known.has(address));
    const unknown = [...new Set(others)].map((address) => unknownField(address, { stage, prefix, draft }));
    return { stage, isStage: isPipeline, fields: [...announced, ...unknown] };
  });
  const shared = isPipeline ? draft.parameters.filter(({ name }) => !name.includes("/")) : [];
  if (shared.length === 0) return groups;
  const fields = shared.map(({ name }) => unknownField(name, { stage: everyStage, prefix: "", draft }));
  return [...groups, { stage: everyStage, isStage: true, fields }];
}

/** Of a source that cannot be read now: what is set is all there is. */
export const nothingKnown: SourceDescription = {
  plugin: "",
  sourceType: "",
  stages: [{ name: "", plugin: "", sensitive: false, announced: [], parameters: [], env: [] }],
};

/** Stands for parameters that all stages get. */
export const everyStage: DescribedStage = {
  name: "every stage",
  plugin: "",
  sensitive: false,
  announced: [],
  parameters: [],
  env: [],
};

interface About {
  stage: DescribedStage;
  prefix: string;
  draft: Draft;
}

function announcedField(one: ParameterAnnouncement, about: About): Field {
  const {
    name = "",
    title,
    tooltip,
    required = false,
    itemType = "",
    collectionType = "",
    choices = [],
  } = one;
  const item = itemType === "number" || itemType === "boolean" ? itemType : "string";
  const isCollection = collectionType === "array" || collectionType === "map";
  const own = defaultOf(name, about);
  const { string, array, map } = one;
  const announced: PluginParameter = {
    ...(string === undefined ? {} : { string }),
    ...(array === undefined ? {} : { array }),
    ...(map === undefined ? {} : { map }),
  };
  return {
    address: about.prefix + name,
    name,
    title: title || undefined,
    tooltip: tooltip || undefined,
    required,
    kind: isCollection ? collectionType : item,
    itemKind: item,
    choices: isCollection ? [] : choices,
    byDefault: own?.value ?? announced,
    defaultFrom: own?.from ?? "plugin",
    isUnknown: false,
  };
}

function unknownField(address: string, about: About): Field {
  const name = address.slice(about.prefix.length);
  const own = defaultOf(name, about);
  const set = about.draft.parameters.find((one) => one.name === address);
  return {
    address,
    name,
    title: undefined,
    tooltip: undefined,
    required: false,
    kind: kindOf(set ?? own?.value ?? {}),
    itemKind: "string",
    choices: [],
    byDefault: own?.value ?? {},
    defaultFrom: own?.from ?? "plugin",
    isUnknown: true,
  };
}

function kindOf({ array, map }: { array?: unknown; map?: unknown }): FieldKind {
  if (array !== undefined) return "array";
  return map === undefined ? "string" : "map";
}

/** A bare name is for every stage that is not a built-in tool. */
function defaultOf(
  name: string,
  { stage, prefix, draft }: About,
): { value: PluginParameter; from: Field["defaultFrom"] } | undefined {
  const isBuiltIn = ["helm", "kustomize", "directory"].includes(stage.plugin);
  const shared = prefix === "" || isBuiltIn ? undefined : draft.parameters.find((one) => one.name === name);
  if (shared) return { value: asParameter(shared), from: "stages" };
  const value = stage.parameters.find((one) => one.name === name);
  return value && { value, from: "pipeline" };
}

function asParameter({ string, array, map }: DraftParameter): PluginParameter {
  return {
    ...(string === undefined ? {} : { string }),
    ...(array === undefined ? {} : { array: [...array] }),
    ...(map === undefined ? {} : { map: Object.fromEntries(map.map((one) => [one.name, one.value])) }),
  };
}

export function isSet({ string, array, map }: PluginParameter): boolean {
  return string !== undefined || (array ?? []).length > 0 || Object.keys(map ?? {}).length > 0;
}
