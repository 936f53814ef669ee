import { CapstanError } from "@capstan/model";
import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Parser,
  Scalar,
} from "yaml";
import { isPlainText } from "./node.ts";

/** Keys, and places in lists. */
export type YamlPath = readonly (string | number)[];

/** One document of YAML that is edited as a person would do it: what is not changed keeps its very bytes. */
export interface EditedYaml {
  /** The text of a scalar; undefined: there is none. */
  text(path: YamlPath): string | undefined;
  /** How many items a list has; undefined: there is no list. */
  count(path: YamlPath): number | undefined;
  /** Whether anything stands there. */
  has(path: YamlPath): boolean;
  /** Gives a scalar another text, or adds it with all that leads there; false where something else stands in the way. */
  setText(path: YamlPath, value: string): boolean;
  /** Adds to a list, which is made where it is missing; false where something else stands there. */
  append(path: YamlPath, value: unknown): boolean;
  remove(path: YamlPath): void;
}

/**
 * The text with what `edit` changes. A scalar that is there is changed in its place; only where something is added or
 * removed is the document printed anew, with its comments, order and indent.
 */
export function editYaml(file: string, content: string, edit: (document: EditedYaml) => void): string {
  const tokens = [...new Parser().parse(content)];
  const found = compose(tokens);
  if (found.length > 1) throw invalid(file, "it has several documents");
  const document = found[0] ?? emptyDocument();
  const [error] = document.errors;
  if (error) throw invalid(file, error.message.split("\n")[0] ?? error.code);
  if (!document.contents || isNull(document.contents)) document.contents = document.createNode({});
  const editing = new Editing(document);
  edit(editing);
  if (editing.isRebuilt) return document.toString({ lineWidth: 0, ...layoutOf(content) });
  return editing.isChanged ? tokens.map((one) => CST.stringify(one)).join("") : content;
}

type AnyDocument = Document.Parsed | Document;

function compose(tokens: readonly CST.Token[]): AnyDocument[] {
  return [...new Composer({ keepSourceTokens: true, intAsBigInt: true }).compose(tokens)].filter(
    ({ contents, errors }) => contents !== null || errors.length > 0,
  );
}

function emptyDocument(): AnyDocument {
  const [document] = [...new Composer().compose(new Parser().parse("{}\n"))];
  if (!document) throw new Error("an empty document could not be read");
  if (isMap(document.contents)) document.contents.flow = false;
  return document;
}

function isNull(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}

/** As the file is laid out already. */
function layoutOf(content: string) {
  const indent = /^( +)[^\s#-]/m.exec(content)?.[1]?.length ?? 2;
  const hasCompactLists = /^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(content);
  const hasWideLists = /^( *)[^\s#-][^\n]*:[ \t]*\n\1 +- /m.test(content);
  return {
    indent: Math.min(Math.max(indent, 1), 8),
    indentSeq: hasWideLists || !hasCompactLists,
    flowCollectionPadding: /\{ /.test(content),
  };
}

class Editing implements EditedYaml {
  readonly #document: AnyDocument;
  isChanged = false;
  isRebuilt = false;

  constructor(document: AnyDocument) {
    this.#document = document;
  }

  text(path: YamlPath): string | undefined {
    const node = this.#at(path);
    if (!isScalar(node) || node.value === null) return undefined;
    return node.source ?? String(node.value);
  }

  count(path: YamlPath): number | undefined {
    const node = this.#at(path);
    return isSeq(node) ? node.items.length : undefined;
  }

  has(path: YamlPath): boolean {
    return this.#at(path) !== undefined;
  }

  setText(path: YamlPath, value: string): boolean {
    const node = this.#at(path);
    if (isScalar(node)) return this.#rewrite(node, value);
    if (node !== undefined) return false;
    return this.#add(path, textNode(value));
  }

  append(path: YamlPath, value: unknown): boolean {
    const node = this.#at(path);
    if (node !== undefined && !isSeq(node) && !isNull(node)) return false;
    const item = this.#document.createNode(value);
    quoteTexts(item);
    this.isRebuilt = true;
    if (!isSeq(node)) return this.#add(path, this.#document.createNode([item]));
    node.items.push(item);
    return true;
  }

  remove(path: YamlPath): void {
    const parent = this.#at(path.slice(0, -1));
    const last = path.at(-1);
    if ((!isMap(parent) && !isSeq(parent)) || last === undefined || !parent.has(last)) return;
    parent.delete(last);
    this.isRebuilt = true;
  }

  #rewrite(node: Scalar, value: string): boolean {
    if (node.value === value) return true;
    const isQuoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
    const type = isQuoted ? node.type : isPlain(value) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
    const { srcToken } = node;
    // A tag would make something else of the text; what has to be escaped is the printer's to write.
    if (node.tag !== undefined || srcToken === undefined || !/^[\w./+@:# ~-]*$/.test(value))
      this.isRebuilt = true;
    else CST.setScalarValue(srcToken, value, { type: type ?? Scalar.PLAIN });
    delete node.tag;
    delete node.source;
    node.value = value;
    node.type = type ?? Scalar.PLAIN;
    this.isChanged = true;
    return true;
  }

  /** Mappings are made on the way; lists are not. */
  #add(path: YamlPath, value: Node): boolean {
    let parent: unknown = this.#document.contents;
    for (const [depth, key] of path.entries()) {
      if (!isMap(parent)) return false;
      const isLast = depth === path.length - 1;
      const next = this.#follow(parent.get(key, true));
      if (isLast) parent.set(key, value);
      else if (next === undefined || isNull(next)) {
        const made = this.#document.createNode({});
        parent.set(key, made);
        parent = made;
      } else parent = next;
    }
    this.isRebuilt = true;
    this.isChanged = true;
    return true;
  }

  #at(path: YamlPath): Node | undefined {
    let node: unknown = this.#document.contents;
    for (const key of path) {
      if (!(isMap(node) || isSeq(node))) return undefined;
      node = this.#follow(node.get(key, true));
    }
    return isScalar(node) || isMap(node) || isSeq(node) ? node : undefined;
  }

  /** An alias stands for its anchor, which is changed for all that name it, as argocd-image-updater does. */
  #follow(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }
}

/** Nothing in it that means something in YAML, nor that a reader takes for another thing than a text. */
function isPlain(value: string): boolean {
  return /^[A-Za-z0-9_/](?:[\w./+@:-]*[\w/+])?$/.test(value) && isPlainText(value);
}

function textNode(value: string): Scalar {
  const node = new Scalar(value);
  node.type = isPlain(value) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
  return node;
}

/** Texts that readers of YAML 1.1 take for numbers or times. */
function quoteTexts(node: unknown): void {
  if (isScalar(node) && typeof node.value === "string") node.type = textNode(node.value).type ?? Scalar.PLAIN;
  else if (isSeq(node)) for (const item of node.items) quoteTexts(item);
  else if (isMap(node)) for (const { value } of node.items) quoteTexts(value);
}

function invalid(file: string, problem: string): CapstanError {
  return new CapstanError({ code: "YAML_INVALID", file, problem });
}
