import { isNull, type MappingNode, mapping, type ScalarNode, text, type YamlNode } from "./node.ts";

/** What stands below the keys; nothing where a key is missing or no mapping is on the way. */
export function fieldAt(node: YamlNode | undefined, ...path: string[]): YamlNode | undefined {
  let found = node;
  for (const key of path) found = found?.kind === "mapping" ? entryOf(found, key)?.value : undefined;
  return found;
}

export function entryOf(node: MappingNode, key: string) {
  return node.entries.find((entry) => entry.key.value === key);
}

/** The text of a scalar below the keys, "" where there is none. */
export function textAt(node: YamlNode | undefined, ...path: string[]): string {
  const found = fieldAt(node, ...path);
  return found?.kind === "scalar" && !isNull(found) ? found.value : "";
}

export function hasText(node: YamlNode | undefined, ...path: string[]): boolean {
  const found = fieldAt(node, ...path);
  return found?.kind === "scalar" && !isNull(found);
}

export function itemsAt(node: YamlNode | undefined, ...path: string[]): YamlNode[] {
  const found = fieldAt(node, ...path);
  return found?.kind === "sequence" ? found.items : [];
}

/** Keys and texts of a mapping of scalars. */
export function textsAt(node: YamlNode | undefined, ...path: string[]): Map<string, string> {
  const found = fieldAt(node, ...path);
  const texts = new Map<string, string>();
  if (found?.kind !== "mapping") return texts;
  for (const { key, value } of found.entries) if (value.kind === "scalar") texts.set(key.value, value.value);
  return texts;
}

/** Replaces the value of a key in its place or adds the key at the end; an old scalar's comment stays. */
export function setField(node: MappingNode, key: string, value: YamlNode): void {
  const entry = entryOf(node, key);
  if (!entry) {
    node.entries.push({ key: text(key), value });
    return;
  }
  if (entry.value.kind === "scalar" && value.kind === "scalar" && value.line === "")
    value.line = entry.value.line;
  entry.value = value;
}

export function removeField(node: YamlNode | undefined, key: string): void {
  if (node?.kind !== "mapping") return;
  const at = node.entries.findIndex((entry) => entry.key.value === key);
  if (at >= 0) node.entries.splice(at, 1);
}

/** The mapping below the keys, made where it is missing; nothing where something else stands in the way. */
export function ensureMapping(node: YamlNode, ...path: string[]): MappingNode | undefined {
  let found: YamlNode = node;
  for (const key of path) {
    if (found.kind !== "mapping") return undefined;
    let next = entryOf(found, key)?.value;
    if (!next || isNull(next)) {
      next = mapping();
      setField(found, key, next);
    }
    found = next;
  }
  if (found.kind !== "mapping") return undefined;
  if (found.entries.length === 0) found.flow = false;
  return found;
}

/** Sets a text below the keys in a style of its own; the comment of what was there stays. */
export function setText(node: YamlNode, path: readonly string[], value: string): boolean {
  const parent = ensureMapping(node, ...path.slice(0, -1));
  const last = path.at(-1);
  if (!parent || last === undefined) return false;
  const old = entryOf(parent, last)?.value;
  if (old?.kind === "scalar") rewrite(old, value);
  else setField(parent, last, text(value));
  return true;
}

/** Gives a scalar another text. */
export function rewrite(node: ScalarNode, value: string): void {
  const { style } = text(value);
  Object.assign(node, { value, style, tag: "" });
}
