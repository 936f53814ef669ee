import { CapstanError } from "@capstan/model";
import { Composer, CST, Parser } from "yaml";
import {
  alias,
  copyNode,
  type Entry,
  mapping,
  type ScalarNode,
  scalar,
  sequence,
  type YamlNode,
} from "./node.ts";
import { type Anchor, CommentPlacer } from "./place-comments.ts";
import { RecentTexts } from "./recent-texts.ts";

export interface YamlDocument {
  root: YamlNode;
  /** Comments above the content that an empty line parts from it. */
  head: string;
  /** The same below. */
  foot: string;
  /** Its own text. */
  source: string;
  /** Which line of the file it begins at, from 1. */
  line: number;
}

const expected = new RecentTexts<{ documents?: readonly YamlDocument[] }>(2 ** 20);

/**
 * Tells that a text is likely to be read again: most files of a package are as they were at its last render. Not for
 * what may hold secrets, since it is kept until there is no room.
 */
export function expectAgain(content: string): void {
  if (!expected.get(content)) expected.set(content, {});
}

/** The documents of a file, split as kyaml splits them (byteio_reader.go splitDocuments); empty ones are left out. */
export function readYaml(file: string, content: string): YamlDocument[] {
  const kept = expected.get(content);
  if (kept?.documents) return copyDocuments(kept.documents);
  const documents = parseYaml(file, content);
  if (kept) kept.documents = copyDocuments(documents);
  return documents;
}

function copyDocuments(documents: readonly YamlDocument[]): YamlDocument[] {
  return documents.map((one) => ({ ...one, root: copyNode(one.root) }));
}

function parseYaml(file: string, content: string): YamlDocument[] {
  const parts: { text: string; line: number }[] = [];
  const whole = content.replaceAll("\r\n", "\n");
  let from = 0;
  let line = 1;
  const take = (to: number, next: number): void => {
    parts.push({ text: whole.slice(from, to), line });
    line += whole.slice(from, next).split("\n").length - 1;
    from = next;
  };
  for (const match of whole.matchAll(/\n---.*\n/g)) {
    const rest = match[0].slice(4).trim();
    if (rest !== "" && !rest.startsWith("#")) {
      const at = line + whole.slice(from, match.index + 1).split("\n").length - 1;
      throw invalid(file, at, `nothing may stand behind a document's "---"; found "${rest}"`);
    }
    take(match.index + 1, match.index + match[0].length);
  }
  take(whole.length, whole.length);
  return parts.flatMap((part) => readDocument(file, part) ?? []);
}

function readDocument(
  file: string,
  { text, line }: { text: string; line: number },
): YamlDocument | undefined {
  const tokens = [...new Parser().parse(text)];
  const composer = new Composer({ uniqueKeys: false, logLevel: "silent" });
  for (const document of composer.compose(tokens)) {
    // Go lets the end of a flow collection stand further left.
    const [problem] = document.errors.filter(
      ({ code, message }) => code !== "BAD_INDENT" || !message.startsWith("Flow "),
    );
    if (problem)
      throw invalid(
        file,
        line - 1 + (problem.linePos?.[0].line ?? lineOf(text, problem.pos[0])),
        problem.message,
      );
  }
  const found = tokens.filter((token) => token.type === "document");
  const [document, second] = found.filter((one) => one.value !== undefined);
  if (!document?.value) return undefined;
  if (second) throw invalid(file, line, "a second document begins here without a line of ---");
  const placer = new CommentPlacer(text);
  const root = readRoot(file, document.value, {
    placer,
    start: document.start,
    lineAt: (at) => line - 1 + lineOf(text, at),
  });
  placer.collect(tokens);
  return { root, ...placer.place(root), source: text, line };
}

interface RootOf {
  placer: CommentPlacer;
  start: readonly CST.SourceToken[];
  lineAt: (offset: number) => number;
}

function readRoot(file: string, token: CST.Token, { placer, start, lineAt }: RootOf): YamlNode {
  try {
    return new TreeReader(placer).read(token, start, undefined);
  } catch (error) {
    if (error instanceof OpenCollection) throw invalid(file, lineAt(error.offset), error.message);
    throw error;
  }
}

/** A flow collection that does not end. */
class OpenCollection extends Error {
  readonly offset: number;

  constructor(offset: number, wanted: string) {
    super(`a list or map that begins here does not end: write ${wanted}`);
    this.offset = offset;
  }
}

class TreeReader {
  readonly #placer: CommentPlacer;

  constructor(placer: CommentPlacer) {
    this.#placer = placer;
  }

  read(token: CST.Token, props: readonly CST.SourceToken[], parent: Anchor | undefined): YamlNode {
    const node = this.#content(token, parent);
    for (const prop of props) {
      if (prop.type === "anchor") node.anchor = prop.source.slice(1);
      if (prop.type === "tag") node.tag = prop.source;
    }
    return node;
  }

  #content(token: CST.Token, parent: Anchor | undefined): YamlNode {
    switch (token.type) {
      case "block-map":
        return mapping(token.items.flatMap((item) => this.#entry(item, parent, true) ?? []));
      case "block-seq":
        return sequence(token.items.flatMap((item) => this.#item(item, parent) ?? []));
      case "flow-collection":
        return this.#flow(token, parent);
      case "alias":
        return alias(token.source.slice(1));
      default:
        return this.#scalar(token);
    }
  }

  #entry(item: CST.CollectionItem, parent: Anchor | undefined, isBlock: boolean): Entry | undefined {
    if (!item.key && !item.sep) return undefined;
    const key = item.key ? this.#scalar(item.key) : scalar("");
    const offset = item.key && "offset" in item.key ? item.key.offset : (item.sep?.[0]?.offset ?? 0);
    const anchor = isBlock ? this.#placer.anchor(key, offset, parent) : parent;
    const isCollection = item.value?.type === "block-map" || item.value?.type === "block-seq";
    if (isCollection) this.#placer.ownLine(key, offset);
    const value = this.#value(item, item.sep ?? [], anchor);
    if (!item.value) this.#placer.ownLine(key, offset);
    return { key, value };
  }

  /** Nothing where only a comment stands, below the last item. */
  #item(item: CST.CollectionItem, parent: Anchor | undefined): YamlNode | undefined {
    const dash = item.start.find((one) => one.type === "seq-item-ind")?.offset;
    if (dash === undefined) return undefined;
    const placeholder = scalar("");
    const anchor = this.#placer.anchor(placeholder, dash, parent);
    const node = this.#value(item, item.start, anchor);
    anchor.node = node;
    return node;
  }

  #value(item: CST.CollectionItem, props: readonly CST.SourceToken[], parent: Anchor | undefined): YamlNode {
    if (item.value) return this.read(item.value, props, parent);
    const empty = scalar("");
    for (const prop of props) {
      if (prop.type === "anchor") empty.anchor = prop.source.slice(1);
      if (prop.type === "tag") empty.tag = prop.source;
    }
    return empty;
  }

  #flow(token: CST.FlowCollection, parent: Anchor | undefined): YamlNode {
    const isMap = token.start.type === "flow-map-start";
    const node = isMap ? mapping() : sequence();
    node.flow = true;
    for (const item of token.items) {
      const entry = this.#entry(item, parent, false);
      if (node.kind === "mapping") {
        if (entry) node.entries.push(entry);
        else if (item.value?.type) node.entries.push({ key: this.#scalar(item.value), value: scalar("") });
      } else if (entry) {
        const single = mapping([entry]);
        single.flow = true;
        node.items.push(single);
      } else if (item.value) node.items.push(this.read(item.value, item.start, parent));
    }
    const end = token.end.find((one) => one.type.endsWith("-end"));
    if (!end) throw new OpenCollection(token.offset, isMap ? "}" : "]");
    this.#placer.ownLine(node, end.offset);
    return node;
  }

  #scalar(token: CST.Token): ScalarNode {
    const resolved = CST.resolveAsScalar(token, true);
    if (!resolved) return scalar("");
    const offset = "offset" in token ? token.offset : 0;
    const isBlock = token.type === "block-scalar";
    // A block scalar that ends with the file, in the middle of a line, has no line break at its end.
    const isCut =
      token.type === "block-scalar" && !token.source.endsWith("\n") && resolved.value.endsWith("\n");
    const node = scalar(
      isCut ? resolved.value.slice(0, -1) : resolved.value,
      styles[resolved.type ?? ""] ?? "plain",
    );
    const length = !isBlock && "source" in token ? token.source.length : 0;
    this.#placer.ownLine(node, offset + length);
    return node;
  }
}

const styles: Partial<Record<string, ScalarNode["style"]>> = {
  QUOTE_SINGLE: "single",
  QUOTE_DOUBLE: "double",
  BLOCK_LITERAL: "literal",
  BLOCK_FOLDED: "folded",
};

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function invalid(file: string, line: number, message: string): CapstanError {
  const problem = message.split(/ at line \d|:\n/)[0] ?? message;
  return new CapstanError({ code: "YAML_INVALID", file, line, problem });
}
