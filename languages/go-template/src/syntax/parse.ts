import { quoteGo } from "@capstan/formats";
import type { BranchNode, CallNode, Node } from "./nodes.ts";
import { mostDepth, parsePipeline, type Reading, readString } from "./parse-pipelines.ts";
import { readTokens, type Token } from "./read-tokens.ts";
import { TokenStream } from "./token-stream.ts";

/** The definitions of a text, by name: its own stands below the name it was given. */
export type Definitions = ReadonlyMap<string, readonly Node[]>;

interface Parsing extends Reading {
  readonly definitions: Map<string, readonly Node[]>;
  ranges: number;
}

/** How a list of nodes ended. */
type Ending = { readonly kind: "end" | "else" | "end of text"; readonly at: number };

/** Reads a template (Go, text/template/parse/parse.go). `hasFunction` says which functions may be named. */
export function parseTemplate(
  name: string,
  text: string,
  hasFunction: (name: string) => boolean,
): Definitions {
  const tokens = new TokenStream(name, text, readTokens(text));
  const parsing: Parsing = {
    tokens,
    hasFunction,
    variables: ["$"],
    depth: 0,
    definitions: new Map(),
    ranges: 0,
  };
  const { nodes, ending } = parseList(parsing, true);
  if (ending.kind !== "end of text") throw tokens.error(`unexpected {{${ending.kind}}}`);
  define(parsing, name, nodes);
  return parsing.definitions;
}

function parseList(parsing: Parsing, isTop = false): { nodes: Node[]; ending: Ending } {
  const { tokens } = parsing;
  const nodes: Node[] = [];
  for (;;) {
    const token = tokens.nextWord();
    if (token.kind === "end of text") {
      if (!isTop) throw tokens.error("unexpected EOF");
      return { nodes, ending: { kind: token.kind, at: token.at } };
    }
    if (token.kind === "text") {
      nodes.push({ kind: "text", at: token.at, text: token.text });
      continue;
    }
    if (token.kind !== "{{") throw tokens.unexpected(token, "input");
    tokens.actionAt = token.at;
    const found =
      isTop && tokens.peekWord().kind === "define" ? parseDefinition(parsing) : parseAction(parsing);
    tokens.actionAt = undefined;
    if (!found) continue;
    if (isEnding(found)) return { nodes, ending: found };
    nodes.push(found);
  }
}

const isEnding = (found: Node | Ending): found is Ending => found.kind === "end" || found.kind === "else";

function parseAction(parsing: Parsing): Node | Ending {
  const { tokens } = parsing;
  const mark = tokens.mark();
  const token = tokens.nextWord();
  switch (token.kind) {
    case "block":
      return parseBlock(parsing);
    case "break":
    case "continue":
      return parseJump(parsing, token, token.kind);
    case "else":
      return parseElse(parsing);
    case "end":
      return { kind: "end", at: tokens.expect("}}", "end").at };
    case "if":
    case "range":
    case "with":
      return parseBranch(parsing, token.kind);
    case "template":
      return parseCall(parsing);
    default: {
      tokens.backTo(mark);
      const pipe = parsePipeline(parsing, "command", "}}");
      return { kind: "action", at: token.at, pipe };
    }
  }
}

function parseJump({ tokens, ranges }: Parsing, { at }: Token, kind: "break" | "continue"): Node {
  const token = tokens.nextWord();
  if (token.kind !== "}}") throw tokens.unexpected(token, `{{${kind}}}`);
  if (ranges === 0) throw tokens.error(`{{${kind}}} outside {{range}}`);
  return { kind, at };
}

/** "else if" and "else with" are an else whose branch ends with the whole. */
function parseElse({ tokens }: Parsing): Ending {
  const next = tokens.peekWord();
  if (next.kind === "if" || next.kind === "with") return { kind: "else", at: next.at };
  return { kind: "else", at: tokens.expect("}}", "else").at };
}

function parseBranch(parsing: Parsing, kind: BranchNode["kind"]): BranchNode {
  const { tokens, variables } = parsing;
  const outer = variables.length;
  if (++parsing.depth > mostDepth) throw tokens.error("max expression depth exceeded");
  const pipe = parsePipeline(parsing, kind, "}}");
  if (kind === "range") parsing.ranges += 1;
  const { nodes: body, ending } = parseList(parsing);
  if (kind === "range") parsing.ranges -= 1;
  const otherwise = ending.kind === "else" ? parseOtherwise(parsing, kind) : undefined;
  parsing.depth -= 1;
  variables.length = outer;
  return { kind, at: pipe.at, pipe, body, ...(otherwise && { otherwise }) };
}

function parseOtherwise(parsing: Parsing, kind: BranchNode["kind"]): readonly Node[] {
  const { tokens } = parsing;
  const next = tokens.peek().kind;
  if ((next === "if" || next === "with") && next === kind) {
    tokens.next();
    return [parseBranch(parsing, next)];
  }
  const { nodes, ending } = parseList(parsing);
  if (ending.kind !== "end") throw tokens.error(`expected end; found {{${ending.kind}}}`);
  return nodes;
}

function parseCall(parsing: Parsing): CallNode {
  const { tokens } = parsing;
  const token = tokens.nextWord();
  const name = readName(parsing, token, "template clause");
  if (tokens.peekWord().kind === "}}") {
    tokens.next();
    return { kind: "template", at: token.at, name };
  }
  return { kind: "template", at: token.at, name, pipe: parsePipeline(parsing, "template clause", "}}") };
}

/** A definition and its call in one. */
function parseBlock(parsing: Parsing): CallNode {
  const context = "block clause";
  const token = parsing.tokens.nextWord();
  const name = readName(parsing, token, context);
  const pipe = parsePipeline(parsing, context, "}}");
  parseBody(parsing, name, context);
  return { kind: "template", at: token.at, name, pipe };
}

function parseDefinition(parsing: Parsing): undefined {
  const context = "define clause";
  parsing.tokens.nextWord();
  const name = readName(parsing, parsing.tokens.nextWord(), context);
  parsing.tokens.expect("}}", context);
  parseBody(parsing, name, context);
}

/** Of a definition: it knows no variables of where it stands. */
function parseBody(parsing: Parsing, name: string, context: string): void {
  const inner: Parsing = { ...parsing, variables: ["$"], ranges: 0, depth: parsing.depth + 1 };
  if (inner.depth > mostDepth) throw parsing.tokens.error("max expression depth exceeded");
  const { nodes, ending } = parseList(inner);
  if (ending.kind !== "end") throw parsing.tokens.error(`unexpected {{${ending.kind}}} in ${context}`);
  define(parsing, name, nodes);
}

function readName({ tokens }: Parsing, token: Token, context: string): string {
  if (token.kind !== "string") throw tokens.unexpected(token, context);
  return readString(tokens, token);
}

function define({ definitions, tokens }: Parsing, name: string, nodes: readonly Node[]): void {
  const known = definitions.get(name);
  if (!known || known.every(isBlank)) definitions.set(name, nodes);
  else if (!nodes.every(isBlank))
    throw tokens.error(`template: multiple definition of template ${quoteGo(name)}`);
}

const isBlank = (node: Node): boolean => node.kind === "text" && node.text.trim() === "";
