import type { CST } from "yaml";
import type { YamlNode } from "./node.ts";

/** Where an entry or item begins. */
export interface Anchor {
  node: YamlNode;
  readonly line: number;
  readonly column: number;
  readonly parent: Anchor | undefined;
}

interface Comment {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** Gives each comment to the node that go-yaml 3 gives it to (scannerc.go, parserc.go: head, line and foot). */
export class CommentPlacer {
  readonly #lines: readonly string[];
  readonly #starts: readonly number[];
  readonly #anchors: Anchor[] = [];
  readonly #owners = new Map<number, YamlNode>();
  readonly #own = new Map<number, Comment>();
  #dashes = new Set<number>();

  constructor(source: string) {
    this.#lines = source.split("\n");
    const starts = [0];
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  anchor(node: YamlNode, offset: number, parent: Anchor | undefined): Anchor {
    const { line, column } = this.#place(offset);
    const anchor = { node, line, column, parent };
    this.#anchors.push(anchor);
    return anchor;
  }

  /** The node whose end is the last thing on its line so far, so that a comment there is its. */
  ownLine(node: YamlNode, offset: number): void {
    this.#owners.set(this.#place(offset).line, node);
  }

  /** Finds all comments; those beside content get their place at once. */
  collect(tokens: readonly CST.Token[]): void {
    const visit = (value: unknown): void => {
      if (Array.isArray(value)) for (const one of value) visit(one);
      else if (typeof value === "object" && value !== null) {
        if (isComment(value)) this.#take(value);
        else for (const one of Object.values(value)) visit(one);
      }
    };
    visit(tokens);
  }

  #take({ source, offset }: CST.SourceToken): void {
    const { line, column } = this.#place(offset);
    const before = this.#lines[line]?.slice(0, column).trim() ?? "";
    if (before === "" || /^(?:-\s*)+$/.test(before)) {
      if (before !== "") this.#dashes.add(line);
      this.#own.set(line, { text: source, line, column });
      return;
    }
    const owner = this.#owners.get(line);
    if (owner) owner.line = source;
    else this.#own.set(line, { text: source, line, column });
  }

  /** Places the comments on lines of their own; what is left is the document's. */
  place(root: YamlNode): { head: string; foot: string } {
    const document = { head: "", foot: "" };
    const comments = [...this.#own.values()].sort((one, other) => one.line - other.line);
    for (let at = 0; at < comments.length; ) {
      const first = comments[at];
      if (!first) break;
      const next = this.#anchors.find(
        (anchor) => anchor.line > first.line || this.#isBehindDash(first, anchor),
      );
      const end = comments.findIndex(
        (one, index) => index >= at && next !== undefined && one.line >= next.line && one !== first,
      );
      const gap = comments.slice(at, end < 0 ? comments.length : end);
      at += gap.length;
      this.#placeGap(gap, next, { document, root });
    }
    return document;
  }

  #isBehindDash(comment: Comment, anchor: Anchor): boolean {
    return this.#dashes.has(comment.line) && anchor.line === comment.line && anchor.column > comment.column;
  }

  #placeGap(
    gap: readonly Comment[],
    next: Anchor | undefined,
    { document, root }: { document: { head: string; foot: string }; root: YamlNode },
  ): void {
    const paragraphs = this.#paragraphs(gap, next);
    const firstLine = gap[0]?.line ?? 0;
    const previous = this.#anchors.findLast((anchor) => anchor.line <= firstLine && anchor !== next);
    const heads: string[] = [];
    const atEnd: string[] = [];
    for (const { comments, isFoot } of paragraphs) {
      const content = comments.map((one) => one.text).join("\n");
      const owner = previous && isFoot ? enclosing(previous, comments[0]?.column ?? 0) : undefined;
      if (owner) owner.node.foot = join(owner.node.foot, content);
      else (next ? heads : atEnd).push(content);
    }
    if (atEnd.length > 0) document.foot = atEnd.join("\n\n");
    if (heads.length === 0) return;
    if (previous === undefined && next) this.#placeAtStart(heads, { gap, next, document });
    else if (next) next.node.head = join(next.node.head, heads.join("\n\n"));
    else root.foot = heads.join("\n\n");
  }

  /** What stands above the first content belongs to it only where no empty line is between them. */
  #placeAtStart(
    heads: readonly string[],
    { gap, next, document }: { gap: readonly Comment[]; next: Anchor; document: { head: string } },
  ): void {
    const isAdjacent = gap.at(-1)?.line === next.line - 1;
    const own = isAdjacent ? heads.at(-1) : undefined;
    document.head = (isAdjacent ? heads.slice(0, -1) : heads).join("\n\n");
    if (own !== undefined) next.node.head = own;
  }

  /** Lines that stand together; a foot follows content directly and is parted from what comes, or is deeper than it. */
  #paragraphs(gap: readonly Comment[], next: Anchor | undefined): { comments: Comment[]; isFoot: boolean }[] {
    const paragraphs: { comments: Comment[]; isFoot: boolean }[] = [];
    let touches = this.#followsContent(gap[0]);
    for (const comment of gap) {
      const last = paragraphs.at(-1)?.comments.at(-1);
      const isSame = last?.line === comment.line - 1 && last.column === comment.column;
      if (isSame) paragraphs.at(-1)?.comments.push(comment);
      else {
        touches &&= last === undefined || last.line === comment.line - 1;
        paragraphs.push({ comments: [comment], isFoot: touches });
      }
    }
    for (const paragraph of paragraphs) {
      const last = paragraph.comments.at(-1);
      if (!paragraph.isFoot || !next || !last) continue;
      const isParted = (this.#lines[last.line + 1] ?? "").trim() === "";
      const isDeeper = last.column > next.column;
      paragraph.isFoot = isParted || isDeeper;
    }
    return paragraphs;
  }

  #followsContent(comment: Comment | undefined): boolean {
    if (!comment || comment.line === 0 || this.#dashes.has(comment.line)) return false;
    const above = (this.#lines[comment.line - 1] ?? "").trim();
    const isKey = /:\s*(?:#.*)?$/.test(above) && this.#opensNext(comment.line);
    return above !== "" && !isKey;
  }

  /** The line above is a key whose value comes below the comment. */
  #opensNext(line: number): boolean {
    const next = this.#anchors.find((anchor) => anchor.line > line);
    return (
      next?.parent !== undefined && next.parent.line < line && next.parent.line === this.#lastAnchorLine(line)
    );
  }

  #lastAnchorLine(line: number): number | undefined {
    return this.#anchors.findLast((anchor) => anchor.line < line)?.line;
  }

  #place(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low, column: offset - (this.#starts[low] ?? 0) };
  }
}

function isComment(value: object): value is CST.SourceToken {
  return "type" in value && value.type === "comment" && "source" in value && "offset" in value;
}

/** The entry or item around the last content that stands at the comment's column. */
function enclosing(anchor: Anchor, column: number): Anchor {
  let found = anchor;
  while (found.column > column && found.parent) found = found.parent;
  return found;
}

function join(above: string, below: string): string {
  return above === "" ? below : `${above}\n\n${below}`;
}
