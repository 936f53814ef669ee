import { CapstanError } from "@capstan/model";
import type { YamlNode } from "./node.ts";

const maxNodes = 1_000_000;

/** The same document with each alias replaced by a copy of what it names. */
export function withoutAliases(root: YamlNode, file: string): YamlNode {
  const anchors = new Map<string, YamlNode>();
  let nodes = 0;
  return expand(root);

  function expand(node: YamlNode): YamlNode {
    if (++nodes > maxNodes)
      throw new CapstanError({
        code: "OUTPUT_TOO_LARGE",
        what: `${file} with its aliases`,
        limitBytes: maxNodes,
      });
    if (node.kind === "alias") {
      const target = anchors.get(node.target);
      if (target) return expand(target);
      throw new CapstanError({
        code: "YAML_INVALID",
        file,
        problem: `no anchor &${node.target} before *${node.target}`,
      });
    }
    const plain = expandInner({ ...node, anchor: "" });
    if (node.anchor !== "") anchors.set(node.anchor, plain);
    return plain;
  }

  function expandInner(node: Exclude<YamlNode, { kind: "alias" }>): YamlNode {
    if (node.kind === "scalar") return node;
    if (node.kind === "sequence") return { ...node, items: node.items.map(expand) };
    return { ...node, entries: node.entries.map(({ key, value }) => ({ key, value: expand(value) })) };
  }
}
