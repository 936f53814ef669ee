import { isRecord } from "@capstan/formats";
import { messageOf, parseYaml, type TerminalGenerator } from "@capstan/model";
import { GenerationError } from "./generation-error.ts";
import type { Parameters } from "./parameters.ts";

type List = NonNullable<TerminalGenerator["list"]>;

/** applicationset/generators ListGenerator: `elements` as written, then those of `elementsYaml`. */
export function listParameters(list: List, isGo: boolean): Parameters[] {
  const elements = (list.elements ?? []).map((element, index) => {
    if (!isRecord(element)) throw new GenerationError(`list: elements[${index}] is no object`);
    return isGo ? element : readTexts(element, index);
  });
  return [...elements, ...readElementsYaml(list.elementsYaml ?? "")];
}

function readTexts(element: Readonly<Record<string, unknown>>, index: number): Parameters {
  const texts: [string, string][] = [];
  const add = (name: string, value: unknown): void => {
    if (typeof value !== "string")
      throw new GenerationError(
        `list: elements[${index}].${name} is no text: put it in quotes, or set goTemplate: true`,
      );
    texts.push([name, value]);
  };
  for (const [name, value] of Object.entries(element)) {
    if (name !== "values") add(name, value);
    else if (isRecord(value)) for (const [key, one] of Object.entries(value)) add(`values.${key}`, one);
    else throw new GenerationError(`list: elements[${index}].values is no object`);
  }
  return Object.fromEntries(texts);
}

function readElementsYaml(text: string): Parameters[] {
  if (text.trim() === "") return [];
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new GenerationError(`list: elementsYaml: ${messageOf(error)}`);
  }
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new GenerationError("list: elementsYaml is no list of objects");
  return value.map((element: unknown, index) => {
    if (element === null) return {};
    if (!isRecord(element)) throw new GenerationError(`list: elementsYaml[${index}] is no object`);
    return element;
  });
}
