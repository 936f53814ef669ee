import { CapstanError } from "@capstan/model";
import { type MappingNode, mapping, scalar, sequence, tagOf, text, type YamlNode } from "./node.ts";
import { readFloat, readInteger } from "./resolve-tag.ts";

/** Plain data: whole numbers are bigint, others number. */
export type YamlValue = null | boolean | number | bigint | string | YamlValue[] | Map<string, YamlValue>;

const maxNodes = 1_000_000;

/** Content without style and comments; aliases are followed. */
export function toValue(root: YamlNode): YamlValue {
  const anchors = new Map<string, YamlNode>();
  let nodes = 0;
  return read(root);

  function read(node: YamlNode): YamlValue {
    if (++nodes > maxNodes)
      throw new CapstanError({
        code: "OUTPUT_TOO_LARGE",
        what: "a document with aliases",
        limitBytes: maxNodes,
      });
    if (node.anchor !== "") anchors.set(node.anchor, node);
    if (node.kind === "alias") {
      const target = anchors.get(node.target);
      return target ? read({ ...target, anchor: "" }) : null;
    }
    if (node.kind === "sequence") return node.items.map(read);
    return node.kind === "mapping" ? readMapping(node) : readScalar(node);
  }

  function readMapping(node: MappingNode): Map<string, YamlValue> {
    const values = new Map<string, YamlValue>();
    for (const { key, value } of node.entries) {
      const content = read(value);
      if (key.style === "plain" && key.value === "<<" && content instanceof Map) {
        for (const [name, one] of content) if (!values.has(name)) values.set(name, one);
      } else values.set(key.value, content);
    }
    return values;
  }
}

function readScalar(node: YamlNode & { kind: "scalar" }): YamlValue {
  switch (tagOf(node)) {
    case "!!null":
      return null;
    case "!!bool":
      return node.value.toLowerCase() === "true";
    case "!!int":
      return readInteger(node.value);
    case "!!float":
      return readFloat(node.value);
    default:
      return node.value;
  }
}

/** Fresh nodes in block style; with sorted keys as Go prints its maps. */
export function fromValue(value: YamlValue, { isSorted = false } = {}): YamlNode {
  if (value === null) return scalar("null");
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return scalar(printFloat(value));
  if (typeof value === "boolean" || typeof value === "bigint") return scalar(String(value));
  if (Array.isArray(value)) return sequence(value.map((one) => fromValue(one, { isSorted })));
  const keys = [...value.keys()];
  if (isSorted) keys.sort(byCodePoint);
  return mapping(
    keys.map((key) => ({ key: text(key), value: fromValue(value.get(key) ?? null, { isSorted }) })),
  );
}

export function byCodePoint(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function printFloat(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  // Go's shortest form, with an exponent of two digits (strconv.FormatFloat 'g').
  const shown = String(value).replace(/e([+-])(\d)$/, "e$10$2");
  return shown;
}

/** What JSON can say of it: whole numbers beyond 2^53 lose nothing where a caller prints them as text. */
export function toJson(value: YamlValue): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, toJson(one)]));
  return value;
}

export function fromJson(value: unknown): YamlValue {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([key, one]) => [key, fromJson(one)]));
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}
