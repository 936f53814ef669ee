import { entryOf, isNull, mapping, scalar, sequence, text, textAt, type YamlNode } from "@capstan/krm-yaml";

/** A place in an object that can be given another node. */
export interface FieldPlace {
  node: YamlNode;
  replace(node: YamlNode): void;
}

/** Steps of a path such as spec.containers.[name=web].image or metadata.annotations.a\.b (SmarterPathSplitter). */
export function splitPath(path: string): string[] {
  const steps: string[] = [];
  let step = "";
  let depth = 0;
  for (let at = 0; at < path.length; at++) {
    const char = path[at] ?? "";
    if (char === "\\" && path[at + 1] === ".") step += path[++at];
    else if (char === "." && depth === 0) {
      steps.push(step);
      step = "";
    } else {
      if (char === "[") depth++;
      if (char === "]") depth--;
      step += char;
    }
  }
  return [...steps, step].map((one) => one.replace(/^\[([^=]*)\]$/, "$1"));
}

/** What a path leads to, through all items at "*" and those that "[key=value]" describes (kyaml PathMatcher). */
export function findPlaces(
  root: YamlNode,
  steps: readonly string[],
  create: YamlNode["kind"] | undefined,
): FieldPlace[] {
  let places: FieldPlace[] = [{ node: root, replace: () => undefined }];
  steps.forEach((step, at) => {
    const isLast = at === steps.length - 1;
    const next = steps[at + 1] ?? "";
    const fresh = (): YamlNode => {
      if (isLast) return create === "sequence" ? sequence() : create === "mapping" ? mapping() : scalar("");
      return next.startsWith("[") || /^\d+$|^-$/.test(next) ? sequence() : mapping();
    };
    places = places.flatMap((place) => stepInto(place.node, step, create === undefined ? undefined : fresh));
  });
  return places;
}

type Fresh = (() => YamlNode) | undefined;

function stepInto(node: YamlNode, step: string, fresh: Fresh): FieldPlace[] {
  const described = /^\[(.*?)=(.*)\]$/s.exec(step);
  if (node.kind === "sequence") {
    if (described) return describedItems(node.items, [described[1] ?? "", described[2] ?? ""], fresh);
    const all = node.items.map((item, index) => placeAt(node.items, item, index));
    if (step === "*") return all;
    if (step === "-") return all.slice(-1);
    return /^\d+$/.test(step)
      ? all.slice(Number(step), Number(step) + 1)
      : all.flatMap((one) => stepInto(one.node, step, fresh));
  }
  if (node.kind !== "mapping") return [];
  if (step === "*") return node.entries.map((entry) => placeOf(entry));
  let entry = entryOf(node, step);
  if ((!entry || isNull(entry.value)) && fresh) {
    if (entry) entry.value = fresh();
    else {
      entry = { key: text(step), value: fresh() };
      node.entries.push(entry);
      node.flow = false;
    }
  }
  return entry ? [placeOf(entry)] : [];
}

function placeOf(entry: { value: YamlNode }): FieldPlace {
  return {
    node: entry.value,
    replace: (node) => {
      entry.value = node;
    },
  };
}

function placeAt(items: YamlNode[], node: YamlNode, index: number): FieldPlace {
  return {
    node,
    replace: (other) => {
      items[index] = other;
    },
  };
}

function describedItems(
  items: YamlNode[],
  [key, value]: readonly [string, string],
  fresh: Fresh,
): FieldPlace[] {
  const isMatch = (item: YamlNode): boolean =>
    key === "" ? item.kind === "scalar" && item.value === value : textAt(item, ...key.split(".")) === value;
  const found = items.flatMap((item, index) => (isMatch(item) ? [placeAt(items, item, index)] : []));
  if (found.length > 0 || !fresh) return found;
  const added = key === "" ? text(value) : mapping([{ key: text(key), value: text(value) }]);
  items.push(added);
  return [placeAt(items, added, items.length - 1)];
}
