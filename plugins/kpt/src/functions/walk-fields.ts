import type { Entry, ScalarNode, YamlNode } from "@capstan/krm-yaml";

export interface FieldVisitor {
  /** Before what the entry holds; `path` as in a.b[0].c. */
  entry?(entry: Entry, path: string): void;
  scalar(node: ScalarNode, path: string): void;
}

/** All fields of an object, entries of a mapping before what is in them. */
export function walkFields(node: YamlNode, visitor: FieldVisitor, path = ""): void {
  if (node.kind === "scalar") visitor.scalar(node, path);
  if (node.kind === "sequence")
    for (const [index, item] of node.items.entries()) walkFields(item, visitor, `${path}[${index}]`);
  if (node.kind !== "mapping") return;
  const below = ({ key }: Entry): string => (path === "" ? key.value : `${path}.${key.value}`);
  if (visitor.entry) for (const entry of node.entries) visitor.entry(entry, below(entry));
  for (const entry of node.entries) walkFields(entry.value, visitor, below(entry));
}
