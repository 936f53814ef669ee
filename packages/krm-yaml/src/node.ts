import { resolveTag } from "./resolve-tag.ts";

/**
 * YAML as go-yaml 3 keeps it (yaml.v3 Node): the style of every scalar, the order of keys, and each comment at the
 * node that it speaks of. Programs that edit files for kpt need all of it back.
 */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;

interface NodeBase {
  /** Lines above it, with their "#". */
  head: string;
  /** Beside it. */
  line: string;
  /** Lines below it that belong to nothing that follows. */
  foot: string;
  /** As written: `!!str`. Empty: what the content says. */
  tag: string;
  anchor: string;
}

export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

export interface ScalarNode extends NodeBase {
  kind: "scalar";
  value: string;
  style: ScalarStyle;
}

export interface SequenceNode extends NodeBase {
  kind: "sequence";
  items: YamlNode[];
  flow: boolean;
}

/** Comments above, below and beside an entry rest with its key. */
export interface Entry {
  key: ScalarNode;
  value: YamlNode;
}

export interface MappingNode extends NodeBase {
  kind: "mapping";
  entries: Entry[];
  flow: boolean;
}

export interface AliasNode extends NodeBase {
  kind: "alias";
  target: string;
}

const bare = (): NodeBase => ({ head: "", line: "", foot: "", tag: "", anchor: "" });

export function scalar(value: string, style: ScalarStyle = "plain"): ScalarNode {
  return { ...bare(), kind: "scalar", value, style };
}

/** A text, quoted where it would be read as something else, also by readers of YAML 1.1. */
export function text(value: string): ScalarNode {
  if (value.includes("\n")) return scalar(value, "literal");
  return scalar(value, isPlainText(value) ? "plain" : "double");
}

export function isPlainText(value: string): boolean {
  return resolveTag(value) === "!!str" && !isYaml11Scalar(value);
}

export function sequence(items: YamlNode[] = []): SequenceNode {
  return { ...bare(), kind: "sequence", items, flow: false };
}

export function mapping(entries: Entry[] = []): MappingNode {
  return { ...bare(), kind: "mapping", entries, flow: false };
}

export function alias(target: string): AliasNode {
  return { ...bare(), kind: "alias", target };
}

/** What its content is: `!!str`, `!!int`, … */
export function tagOf(node: YamlNode): string {
  if (node.kind === "mapping") return "!!map";
  if (node.kind === "sequence") return "!!seq";
  if (node.kind === "alias") return "";
  if (node.tag !== "") return node.tag;
  return node.style === "plain" ? resolveTag(node.value) : "!!str";
}

export function isNull(node: YamlNode | undefined): boolean {
  return node === undefined || (node.kind === "scalar" && tagOf(node) === "!!null");
}

/** A copy that shares nothing. */
export function copyNode<N extends YamlNode>(node: N): N;
export function copyNode(node: YamlNode): YamlNode {
  if (node.kind === "mapping") return { ...node, entries: node.entries.map(copyEntry) };
  return node.kind === "sequence"
    ? { ...node, items: node.items.map((item) => copyNode(item)) }
    : { ...node };
}

function copyEntry({ key, value }: Entry): Entry {
  return { key: { ...key }, value: copyNode(value) };
}

const yaml11Booleans = new Set("y n yes no on off".split(" "));
const longestBoolean = 3;

/** Text in YAML 1.2 that YAML 1.1 takes for a truth value or a number to base 60 (go-yaml isOldBool, isBase60Float). */
function isYaml11Scalar(value: string): boolean {
  if (value.length <= longestBoolean) {
    const lower = value.toLowerCase();
    const isOneCase = value === lower || value === value.toUpperCase() || /^[A-Z][a-z]*$/.test(value);
    if (yaml11Booleans.has(lower) && isOneCase) return true;
  }
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(value);
}
