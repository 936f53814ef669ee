import { byCodePoint, itemsAt, readYaml, tagOf, textAt, textsAt, type YamlNode } from "@capstan/krm-yaml";
import type { KrmFunction } from "../function.ts";
import { fileOf, type Item } from "../item.ts";
import { currentValues, listPattern, patternIn, settersIn } from "./setter-patterns.ts";
import { walkFields } from "./walk-fields.ts";

interface Found {
  value: string;
  type: string;
  count: number;
}

/** Tells all setters with their value, type and how many fields they are in; changes nothing. */
export const listSetters: KrmFunction = (list) => {
  const found = new Map<string, Found>();
  setInKptfile(list.items, found);
  for (const item of list.items)
    walkFields(item.root, {
      entry(entry) {
        const pattern = listPattern(entry);
        const name = settersIn(pattern)[0];
        if (entry.value.kind !== "sequence" || name === undefined) return;
        count(found, name, { value: listText(entry.value.items), type: "array" });
      },
      scalar(node) {
        for (const [name, value] of currentValues(patternIn(node.line), node))
          count(found, name, { value, type: tagOf(node).slice(2) });
      },
    });
  list.results = [...found]
    .sort(([one], [other]) => byCodePoint(one, other))
    .map(([name, { value, type, count: times }]) => ({
      message: `Name: ${name}, Value: ${value}, Type: ${type}, Count: ${times}`,
    }));
  if (list.results.length === 0) list.results = [{ message: "no setters found", severity: "warning" }];
  return undefined;
};

function count(found: Map<string, Found>, name: string, { value, type }: Omit<Found, "count">): void {
  const known = found.get(name);
  if (!known) found.set(name, { value, type, count: 1 });
  else {
    known.count++;
    if (known.type === "str" && type !== "str") known.type = type;
  }
}

function listText(items: readonly YamlNode[]): string {
  return `[${items.map(textOf).sort(byCodePoint).join(", ")}]`;
}

function textOf(item: YamlNode): string {
  return item.kind === "scalar" ? item.value : "";
}

/** The values that the package gives apply-setters; they count for nothing until a field names them. */
function setInKptfile(items: readonly Item[], found: Map<string, Found>): void {
  const kptfile = items.find((item) => fileOf(item).path === "Kptfile");
  for (const spec of itemsAt(kptfile?.root, "pipeline", "mutators")) {
    if (!textAt(spec, "image").includes("apply-setters")) continue;
    const path = textAt(spec, "configPath");
    const config = items.find((item) => path !== "" && fileOf(item).path === path);
    const data = config ? textsAt(config.root, "data") : textsAt(spec, "configMap");
    for (const [name, value] of data) {
      const root = readYaml("setters", value)[0]?.root;
      const isList = root?.kind === "sequence";
      const shown = isList ? `[${root.items.map(textOf).join(", ")}]` : value;
      found.set(name, { value: shown, type: isList ? "array" : "str", count: 0 });
    }
  }
}
