import type { Entry, MappingNode, SequenceNode, YamlNode } from "./node.ts";
import { printScalar } from "./print-scalar.ts";

export interface PrintOptions {
  /** Whether the dashes of a list below a key stand two columns to the right of the key. */
  seqIndent: "wide" | "compact";
}

/** One document as go-yaml's emitter prints it with kyaml's options: two columns, no line folded. */
export function printYaml(
  { root, head = "", foot = "" }: { root: YamlNode; head?: string; foot?: string },
  { seqIndent }: PrintOptions,
): string {
  const printer = new Printer(seqIndent === "wide");
  printer.document(root, head, foot);
  return printer.text();
}

export function printAll(
  documents: readonly { root: YamlNode; head?: string; foot?: string; seqIndent: "wide" | "compact" }[],
): string {
  return documents.map((one) => printYaml(one, one)).join("---\n");
}

class Printer {
  readonly #isWide: boolean;
  readonly #lines: string[] = [];
  #line: string | undefined;
  /** Where a foot comment was just written: an empty line parts it from the next line at the same column. */
  #footIndent: number | undefined;

  constructor(isWide: boolean) {
    this.#isWide = isWide;
  }

  document(root: YamlNode, head: string, foot: string): void {
    if (head !== "") {
      this.#comment(head, 0);
      this.#lines.push("");
    }
    if (root.head !== "") this.#comment(root.head, 0);
    this.#begin(0);
    // A block scalar that is the whole document is set in, as all others are.
    this.#node(root, { indent: root.kind === "scalar" ? 2 : 0, isInline: true });
    this.#end(isBlock(root) ? "" : root.line);
    if (root.foot !== "") this.#comment(root.foot, 0);
    if (foot !== "") {
      this.#footIndent = undefined;
      this.#lines.push("");
      this.#comment(foot, 0);
    }
  }

  text(): string {
    this.#end("");
    return `${this.#lines.join("\n")}\n`;
  }

  /** A new line, unless one is open and empty. */
  #begin(indent: number): void {
    this.#end("");
    if (this.#footIndent === indent) this.#lines.push("");
    this.#footIndent = undefined;
    this.#line = " ".repeat(indent);
  }

  #put(content: string): void {
    const parts = content.split("\n");
    this.#line = (this.#line ?? "") + (parts[0] ?? "");
    for (const part of parts.slice(1)) {
      this.#lines.push(this.#line);
      this.#line = part;
    }
  }

  #end(comment: string): void {
    if (comment !== "") this.#beside(comment);
    if (this.#line === undefined) return;
    const isEmpty = this.#line.trim() === "";
    if (!isEmpty) this.#lines.push(this.#line);
    this.#line = undefined;
  }

  /** Beside the content; of a block scalar, beside its header. */
  #beside(comment: string): void {
    this.#line = `${this.#line ?? ""} ${comment}`;
  }

  #comment(comment: string, indent: number): void {
    for (const line of comment.split("\n")) {
      if (line === "") {
        this.#end("");
        this.#lines.push("");
      } else {
        this.#begin(indent);
        this.#put(line);
      }
    }
    this.#end("");
  }

  #foot(comment: string, indent: number): void {
    if (comment === "") return;
    this.#comment(comment, indent);
    this.#footIndent = indent;
  }

  #node(node: YamlNode, { indent, isInline }: { indent: number; isInline: boolean }): void {
    if (!isBlock(node)) this.#put(this.#inline(node, indent));
    else if (node.kind === "mapping") this.#mapping(node, indent, isInline);
    else this.#sequence(node, indent, isInline);
  }

  #mapping(node: MappingNode, indent: number, isInline: boolean): void {
    node.entries.forEach((entry, index) => {
      const isFirst = index === 0 && isInline;
      if (entry.key.head !== "") this.#comment(entry.key.head, indent);
      if (!isFirst || entry.key.head !== "") this.#begin(indent);
      this.#entry(entry, indent);
      this.#foot(entry.key.foot, indent);
    });
  }

  #entry({ key, value }: Entry, indent: number): void {
    // go-yaml writes the tag of a merge key out (encode.go node): resolving "<<" gives another tag than text.
    const merge = key.style === "plain" && key.value === "<<" ? "!!merge " : "";
    this.#put(`${merge}${properties(key)}${printScalar(key, { isFlow: false, isKey: true, indent })}:`);
    const marks = properties(value).trimEnd();
    if (marks !== "") this.#put(` ${marks}`);
    if (!isBlock(value)) {
      this.#inlineValue(value, key.line, indent);
      this.#foot(value.foot, indent);
      return;
    }
    this.#end(key.line);
    const below = value.kind === "sequence" && !this.#isWide ? indent : indent + 2;
    if (value.head !== "") this.#comment(value.head, below);
    this.#node(value, { indent: below, isInline: false });
  }

  #inlineValue(value: YamlNode, keyLine: string, indent: number): void {
    const content = this.#inline(value, indent + 2);
    const comment = value.line || keyLine;
    const [first = "", ...rest] = content.split("\n");
    if (first !== "") this.#put(` ${first}`);
    this.#end(comment);
    this.#lines.push(...rest);
  }

  #sequence(node: SequenceNode, indent: number, isInline: boolean): void {
    node.items.forEach((item, index) => {
      if (item.head !== "") this.#comment(item.head, indent);
      if (index > 0 || !isInline || item.head !== "") this.#begin(indent);
      this.#item(item, indent);
      this.#foot(item.foot, indent);
    });
  }

  #item(item: YamlNode, indent: number): void {
    this.#put("-");
    const marks = properties(item).trimEnd();
    if (marks !== "") this.#put(` ${marks}`);
    if (!isBlock(item)) {
      this.#inlineValue(item, "", indent);
      return;
    }
    const first = item.kind === "mapping" ? item.entries[0]?.key : item.items[0];
    const isBelow = marks !== "" || (first?.head ?? "") !== "";
    if (marks !== "") this.#end("");
    else if (isBelow) this.#openHead(first?.head ?? "", indent + 2);
    else this.#put(" ");
    this.#body(item, { indent: indent + 2, isInline: !isBelow, isHeadDone: isBelow && marks === "" });
  }

  /** The comment above an item's first entry stands behind the dash. */
  #openHead(head: string, indent: number): void {
    const [first = "", ...rest] = head.split("\n");
    this.#put(` ${first}`);
    this.#end("");
    if (rest.length > 0) this.#comment(rest.join("\n"), indent);
  }

  #body(
    node: SequenceNode | MappingNode,
    { indent, isInline, isHeadDone }: { indent: number; isInline: boolean; isHeadDone: boolean },
  ): void {
    if (!isHeadDone) {
      this.#node(node, { indent, isInline });
      return;
    }
    const first = node.kind === "mapping" ? node.entries[0]?.key : node.items[0];
    const kept = first?.head ?? "";
    if (first) first.head = "";
    this.#node(node, { indent, isInline: false });
    if (first) first.head = kept;
  }

  #inline(node: YamlNode, indent: number): string {
    if (node.kind === "scalar") return printScalar(node, { isFlow: false, isKey: false, indent });
    return this.#flow(node, indent);
  }

  /** `indent` of the lines that a comment within it makes. */
  #flow(node: YamlNode, indent: number): string {
    if (node.kind === "alias") return `*${node.target}`;
    if (node.kind === "scalar") return printScalar(node, { isFlow: true, isKey: false, indent: 0 });
    if (node.kind === "sequence") {
      const items = node.items.map((item) => ({
        text: properties(item) + this.#flow(item, indent + 2),
        comment: item.line,
      }));
      return `[${this.#joined(items, indent)}]`;
    }
    const entries = node.entries.map(({ key, value }) => {
      const name = properties(key) + printScalar(key, { isFlow: true, isKey: true, indent: 0 });
      const content = isBareNull(value) ? "" : ` ${properties(value)}${this.#flow(value, indent + 2)}`;
      return { text: `${name}:${content}`, comment: value.line };
    });
    return `{${this.#joined(entries, indent)}}`;
  }

  /** A comment ends its line; what closes the collection then stands below its key. */
  #joined(parts: readonly { text: string; comment: string }[], indent: number): string {
    const last = parts.length - 1;
    return parts
      .map(({ text, comment }, index) => {
        if (comment === "") return index === last ? text : `${text}, `;
        return `${text}, ${comment}\n${" ".repeat(Math.max(index === last ? indent - 2 : indent, 0))}`;
      })
      .join("");
  }
}

function isBareNull(node: YamlNode): boolean {
  return node.kind === "scalar" && node.value === "" && node.style === "plain" && node.tag === "";
}

/** Written below its key or behind its dash, and not on the same line. */
function isBlock(node: YamlNode): node is MappingNode | SequenceNode {
  if (node.kind === "mapping") return !node.flow && node.entries.length > 0;
  return node.kind === "sequence" && !node.flow && node.items.length > 0;
}

function properties({ anchor, tag }: YamlNode): string {
  return `${anchor === "" ? "" : `&${anchor} `}${tag === "" ? "" : `${tag} `}`;
}
