import { type Entry, readYaml, type ScalarNode, type SequenceNode } from "@capstan/krm-yaml";
import { CapstanError } from "@capstan/model";
import type { KrmFunction, ResultItem } from "../function.ts";
import { fileOf } from "../item.ts";
import { dataOf, refuse } from "./function-config.ts";
import { currentValues, listPattern, patternIn, settersIn } from "./setter-patterns.ts";
import { walkFields } from "./walk-fields.ts";

/** Sets the fields whose comment names a setter: `replicas: 3 # kpt-set: ${replicas}`. */
export const applySetters: KrmFunction = (list) => {
  const setters = dataOf(list.functionConfig);
  const results: ResultItem[] = [];
  try {
    for (const item of list.items) {
      const { path: file } = fileOf(item);
      const told = (path: string, value: string): void => {
        results.push({
          message: `set field value to ${JSON.stringify(value)}`,
          field: { path },
          file: { path: file },
        });
      };
      walkFields(item.root, {
        entry: (entry, path) => setList(entry, setters, (value) => told(path, value)),
        scalar: (node, path) => setScalar(node, setters, (value) => told(path, value)),
      });
    }
  } catch (error) {
    if (!(error instanceof SetterError)) throw error;
    return refuse(list, "failed to apply setters", error.message);
  }
  list.results = results.length > 0 ? results : [{ message: "no matches for input setter(s)" }];
  return undefined;
};

class SetterError extends Error {}

type Setters = ReadonlyMap<string, string>;

function names(pattern: string, setters: Setters): boolean {
  return [...setters.keys()].some((name) => pattern.includes(`\${${name}}`));
}

function setList(entry: Entry, setters: Setters, told: (value: string) => void): void {
  const { key, value: list } = entry;
  if (list.kind !== "sequence") return;
  const pattern = listPattern(entry);
  if (pattern === "" || !names(pattern, setters)) return;
  const [name, ...others] = settersIn(pattern);
  if (name === undefined || others.length > 0 || !pattern.startsWith("${") || !pattern.endsWith("}"))
    throw new SetterError(`invalid setter pattern for array node: ${JSON.stringify(pattern)}`);
  const value = setters.get(name) ?? "";
  const comment = list.flow ? list.line : key.line;
  if (value === "") Object.assign(list, { items: [], flow: true, line: comment });
  else Object.assign(list, { items: readList(value).items, flow: false, line: "" });
  key.line = value === "" ? "" : comment;
  told(value);
}

function readList(value: string): SequenceNode {
  try {
    const [document] = readYaml("setter", value);
    if (document?.root.kind === "sequence") return document.root;
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error;
  }
  throw new SetterError(
    `input to array setter must be an array of values, but found ${JSON.stringify(value)}`,
  );
}

function setScalar(node: ScalarNode, setters: Setters, told: (value: string) => void): void {
  const pattern = patternIn(node.line);
  if (pattern === "" || !names(pattern, setters)) return;
  let value = pattern;
  for (const [name, given] of setters) value = value.replaceAll(`\${${name}}`, () => given);
  // What the caller does not give stays as it is in the field now.
  for (const [name, current] of currentValues(pattern, node))
    value = value.replaceAll(`\${${name}}`, () => current);
  const missing = settersIn(value);
  if (missing.length > 0)
    throw new SetterError(
      `values for setters [${missing.map((name) => `\${${name}}`).join(" ")}] must be provided`,
    );
  node.value = value;
  node.tag = "";
  if (value === "") node.style = "double";
  told(value);
}
