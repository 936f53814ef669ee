import { isRecord } from "@capstan/formats";
import { isCapstanError, type KustomizePatch, parseYaml } from "@capstan/model";
import type { Pair } from "../../parts/forms/row-editors.tsx";
import type { Draft, DraftParameter } from "./draft.ts";
import { type Field, type FieldGroup, isSet } from "./fields.ts";

/** What is wrong with a draft, by the place of the form: a parameter's address, or a part's name. */
export type Problems = ReadonlyMap<string, string>;

export function findProblems(draft: Draft, groups: readonly FieldGroup[]): Problems {
  const found = new Map<string, string>();
  const tell = (place: string, problem: string | undefined) => {
    if (problem !== undefined && !found.has(place)) found.set(place, problem);
  };
  for (const field of groups.flatMap(({ fields }) => fields)) {
    const set = draft.parameters.find(({ name }) => name === field.address);
    tell(parameterPlace(field.address), fieldProblem(field, set));
  }
  tell("env", pairsProblem(draft.env, "variable"));
  tell("helmParameters", pairsProblem(draft.helmParameters, "parameter"));
  tell("valueFiles", draft.valueFiles.includes("") ? "A value file has no name." : undefined);
  tell("values", valuesProblem(draft.values));
  for (const image of draft.images) tell("images", imageProblem(image));
  tell("replicas", replicasProblem(draft.replicas));
  tell("components", draft.components.includes("") ? "A component has no path." : undefined);
  tell("patches", draft.patches.map(patchProblem).find(Boolean));
  tell("commonLabels", pairsProblem(draft.commonLabels, "label"));
  tell("commonAnnotations", pairsProblem(draft.commonAnnotations, "annotation"));
  tell("tlas", pairsProblem(draft.tlas, "argument"));
  tell("extVars", pairsProblem(draft.extVars, "variable"));
  tell("libs", draft.libs.includes("") ? "A library folder has no path." : undefined);
  return found;
}

export function parameterPlace(address: string): string {
  return `parameter ${address}`;
}

function fieldProblem(field: Field, set: DraftParameter | undefined): string | undefined {
  const { kind, itemKind, choices, required, byDefault } = field;
  if (!set) return required && !isSet(byDefault) ? "It must be set." : undefined;
  if (kind === "array") {
    if (set.array === undefined) return "It is set as something else; the plugin takes a list.";
    return set.array.map((item) => itemProblem(item, itemKind)).find(Boolean);
  }
  if (kind === "map") {
    if (set.map === undefined) return "It is set as something else; the plugin takes a map.";
    return (
      pairsProblem(set.map, "key") ?? set.map.map(({ value }) => itemProblem(value, itemKind)).find(Boolean)
    );
  }
  if (set.string === undefined) return "It is set as a list or a map; the plugin takes one value.";
  if (required && set.string === "" && kind === "string") return "It must not be empty.";
  if (choices.length > 0 && !choices.includes(set.string))
    return `“${set.string}” is none of ${choices.join(", ")}.`;
  return itemProblem(set.string, kind);
}

function itemProblem(text: string, kind: "string" | "number" | "boolean"): string | undefined {
  if (kind === "number" && (text.trim() === "" || !Number.isFinite(Number(text))))
    return text.trim() === "" ? "A number is wanted." : `“${text}” is not a number.`;
  if (kind === "boolean" && text !== "true" && text !== "false")
    return `“${text}” is neither true nor false.`;
  return undefined;
}

function pairsProblem(pairs: readonly Pair[], what: string): string | undefined {
  const names = pairs.map(({ name }) => name);
  if (names.some((name) => name.trim() === "")) return `A ${what} has no name.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `“${twice}” is there twice.`;
}

function replicasProblem(replicas: readonly Pair[]): string | undefined {
  const odd = replicas.find(({ value }) => !/^\d+$/.test(value));
  return pairsProblem(replicas, "workload") ?? (odd && `“${odd.value}” is no number of replicas.`);
}

function patchProblem({ path = "", patch = "" }: KustomizePatch, index: number): string | undefined {
  if (path === "" && patch.trim() === "") return `Patch ${index + 1} has neither a text nor a file.`;
  if (path !== "" && patch.trim() !== "") return `Patch ${index + 1} has both a text and a file.`;
  const problem = yamlProblem(patch);
  return problem && `Patch ${index + 1}: ${problem}`;
}

function yamlProblem(text: string): string | undefined {
  try {
    parseYaml(text);
    return undefined;
  } catch (error) {
    if (!isCapstanError(error)) throw error;
    return error.message;
  }
}

function valuesProblem(text: string): string | undefined {
  const problem = yamlProblem(text);
  if (problem) return problem;
  const value = parseYaml(text);
  return isRecord(value) || value === null || value === undefined
    ? undefined
    : "It must be a map: name: value";
}

/** `[name=]new[:tag][@digest]`, of which one must be said (kustomize edit set image). */
function imageProblem(image: string): string | undefined {
  return /[=@]|:[^/]*$/.test(image)
    ? undefined
    : `“${image}” names neither another image nor a tag nor a digest.`;
}

/** A refusal of the server, put at the field that it names. */
export function placeOfRefusal(message: string, groups: readonly FieldGroup[]): string | undefined {
  const [, name] = /parameter "?([\w./\\[\]-]+?)"?[: ]/.exec(message) ?? [];
  const [, stage] = /stage ([\w.-]+)/.exec(message) ?? [];
  const fields = groups.filter((group) => !stage || !group.isStage || group.stage.name === stage);
  const field = fields.flatMap((group) => group.fields).find((one) => one.name === name);
  return field && parameterPlace(field.address);
}
