import { byCodePoint, type Entry, readYaml, type ScalarNode, type YamlNode } from "@capstan/krm-yaml";
import { CapstanError } from "@capstan/model";
import type { KrmFunction, ResultItem } from "../function.ts";
import { fileOf } from "../item.ts";
import { dataOf, refuse } from "./function-config.ts";
import { walkFields } from "./walk-fields.ts";

interface Setters {
  scalars: [name: string, value: string][];
  lists: [name: string, values: string[]][];
}

/** Notes beside each field which setters its value is made of, for apply-setters to find. */
export const createSetters: KrmFunction = (list) => {
  const data = dataOf(list.functionConfig);
  if (data.size === 0) return refused("config map cannot be empty");
  const setters = readSetters(data);
  if (!setters) return refused("parsing error");
  const results: ResultItem[] = [];
  for (const item of list.items) {
    const { path: file } = fileOf(item);
    const told = (path: string, value: string, comment: string): void => {
      const message = `Added line comment ${JSON.stringify(comment)} for field with value ${JSON.stringify(value)}`;
      results.push({ message, field: { path }, file: { path: file } });
    };
    walkFields(item.root, {
      entry: (entry, path) => markList(entry, setters, (value, comment) => told(path, value, comment)),
      scalar: (node, path) => markScalar(node, setters, (value, comment) => told(path, value, comment)),
    });
  }
  if (results.length === 0) return refused("no matches for the input list of setters");
  list.results = results;
  return undefined;

  function refused(message: string) {
    return refuse(list, "failed to create setters", message);
  }
};

/** Longer values first, so that one is not taken for a part of another. */
function readSetters(data: ReadonlyMap<string, string>): Setters | undefined {
  const setters: Setters = { scalars: [], lists: [] };
  for (const [name, value] of [...data].sort(([one], [other]) => byCodePoint(one, other))) {
    const root = readDocument(value);
    if (!root) return undefined;
    if (root?.kind === "sequence") setters.lists.push([name, textsOf(root.items).sort(byCodePoint)]);
    else if (root?.kind === "scalar") setters.scalars.push([name, value]);
  }
  setters.scalars.sort(([, one], [, other]) => other.length - one.length);
  return setters;
}

/** Nothing where the text is empty or no YAML. */
function readDocument(value: string): YamlNode | undefined {
  try {
    return readYaml("setters", value)[0]?.root;
  } catch (error) {
    if (error instanceof CapstanError) return undefined;
    throw error;
  }
}

function textsOf(items: readonly { kind: string; value?: unknown }[]): string[] {
  return items.map((item) => (typeof item.value === "string" ? item.value : ""));
}

type Told = (value: string, comment: string) => void;

function markList({ key, value: list }: Entry, setters: Setters, told: Told): void {
  if (list.kind !== "sequence") return;
  const values = textsOf(list.items).sort(byCodePoint);
  const hasScalar = values.some((value) => setters.scalars.some(([, setter]) => value.includes(setter)));
  if (list.flow && hasScalar) list.flow = false;
  const match = setters.lists.find(([, wanted]) => wanted.join("\n") === values.join("\n"));
  if (!match) return;
  const comment = `kpt-set: \${${match[0]}}`;
  if (list.flow && values.length > 0) list.flow = false;
  (list.flow ? list : key).line = `# ${comment}`;
  told(`[${values.join(" ")}]`, comment);
}

function markScalar(node: ScalarNode, { scalars }: Setters, told: Told): void {
  if (node.value.includes("\n")) return;
  const pattern = replaceAll(node.value, scalars);
  if (pattern === node.value) return;
  const comment = `kpt-set: ${pattern}`;
  node.line = `# ${comment}`;
  told(node.value, comment);
}

/** In one pass, so that what was put in is not replaced again (Go strings.Replacer). */
function replaceAll(value: string, scalars: Setters["scalars"]): string {
  let replaced = "";
  for (let at = 0; at < value.length; ) {
    const match = scalars.find(([, setter]) => setter !== "" && value.startsWith(setter, at));
    replaced += match ? `\${${match[0]}}` : value[at];
    at += match ? match[1].length : 1;
  }
  return replaced;
}
