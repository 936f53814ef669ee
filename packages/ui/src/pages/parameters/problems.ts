import { isCapstanError, isRecord, parseYaml } from "@capstan/model";
import type { Draft, DraftParameter, Pair } from "./draft.ts";
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
  return found;
}

export function parameterPlace(address: string): string {
  return `parameter ${address}`;
}

function fieldProblem(field: Field, set: DraftParameter | undefined): string | undefined {
  const { kind, itemKind, required, byDefault } = field;
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

function valuesProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value = parseYaml(text);
    return isRecord(value) || value === null || value === undefined
      ? undefined
      : "It must be a map: name: value";
  } catch (error) {
    if (!isCapstanError(error)) throw error;
    return error.message;
  }
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
