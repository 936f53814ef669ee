import { quoteGo, unquoteGo } from "@capstan/formats";
import { TemplateError } from "../template-error.ts";
import type { ChainNode, CommandNode, NumberNode, Operand, PipeNode } from "./nodes.ts";
import { printNode } from "./print-node.ts";
import { readNumber } from "./read-number.ts";
import type { Token, TokenKind } from "./read-tokens.ts";
import type { TokenStream } from "./token-stream.ts";

/** What a pipeline is read with. */
export interface Reading {
  readonly tokens: TokenStream;
  readonly hasFunction: (name: string) => boolean;
  /** Variables that may be used here, innermost last. */
  readonly variables: string[];
  /** How deeply parentheses and controls are nested. */
  depth: number;
}

/** Go allows 10,000; each level takes part of the stack here. */
export const mostDepth = 500;
/** Each use of a variable looks for it among those that can be seen. */
const mostVariables = 1_000;

const operandKinds: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "bool",
  "character",
  ".",
  "field",
  "identifier",
  "number",
  "nil",
  "string",
  "variable",
  "(",
]);
/** They take nothing from the stage before them. */
const notExecutable: ReadonlySet<string> = new Set(["bool", "dot", "nil", "number", "string"]);

/** `$x := command | command`, up to the token that ends it (Go, parse.go pipeline). */
export function parsePipeline(reading: Reading, context: string, end: "}}" | ")"): PipeNode {
  const { tokens } = reading;
  const at = tokens.peekWord().at;
  const { variables, isAssignment } = parseVariables(reading, context);
  const commands: CommandNode[] = [];
  for (;;) {
    const mark = tokens.mark();
    const token = tokens.nextWord();
    if (token.kind === end) break;
    if (!operandKinds.has(token.kind)) throw tokens.unexpected(token, context);
    tokens.backTo(mark);
    commands.push(parseCommand(reading));
  }
  if (commands.length === 0) throw tokens.error(`missing value for ${context}`);
  const idle = commands.findIndex(({ first }, index) => index > 0 && notExecutable.has(first.kind));
  if (idle > 0) throw tokens.error(`non executable command in pipeline stage ${idle + 1}`);
  return { kind: "pipe", at, variables, isAssignment, commands };
}

function parseVariables(reading: Reading, context: string): Pick<PipeNode, "variables" | "isAssignment"> {
  const { tokens } = reading;
  const variables: string[] = [];
  for (;;) {
    const mark = tokens.mark();
    const variable = tokens.peekWord();
    if (variable.kind !== "variable") return { variables, isAssignment: false };
    tokens.next();
    const next = tokens.nextWord();
    const isList = next.kind === "other" && next.text === ",";
    if (next.kind !== "=" && next.kind !== ":=" && !isList) {
      tokens.backTo(mark);
      return { variables, isAssignment: false };
    }
    variables.push(variable.text);
    reading.variables.push(variable.text);
    if (reading.variables.length > mostVariables)
      throw tokens.error(`more than ${mostVariables} variables in one place`);
    if (!isList) return { variables, isAssignment: next.kind === "=" };
    if (context !== "range" || variables.length > 1)
      throw tokens.error(`too many declarations in ${context}`);
    const follows = tokens.peekWord().kind;
    if (follows !== "variable" && follows !== "}}" && follows !== ")")
      throw tokens.error("range can only initialize variables");
  }
}

function parseCommand(reading: Reading): CommandNode {
  const { tokens } = reading;
  const at = tokens.peekWord().at;
  const operands: Operand[] = [];
  for (;;) {
    tokens.skipSpace();
    const operand = parseOperand(reading);
    if (operand) operands.push(operand);
    const mark = tokens.mark();
    const token = tokens.next();
    if (token.kind === "space") continue;
    if (token.kind === "}}" || token.kind === ")") tokens.backTo(mark);
    else if (token.kind !== "|") throw tokens.unexpected(token, "operand");
    break;
  }
  const [first, ...rest] = operands;
  if (!first) throw tokens.error("empty command");
  return { kind: "command", at, first, rest };
}

/** A term, and the fields that follow it. */
function parseOperand(reading: Reading): Operand | undefined {
  const { tokens } = reading;
  const term = parseTerm(reading);
  if (!term || tokens.peek().kind !== "field") return term;
  const { at } = tokens.peek();
  const path: string[] = [];
  while (tokens.peek().kind === "field") path.push(tokens.next().text.slice(1));
  if (term.kind === "field" || term.kind === "variable")
    return { ...term, at, path: [...term.path, ...path] };
  if (term.kind !== "pipe" && term.kind !== "identifier")
    throw tokens.error(`unexpected . after term ${quoteGo(printNode(term))}`);
  return { kind: "chain", at, head: term, path } satisfies ChainNode;
}

function parseTerm(reading: Reading): Exclude<Operand, ChainNode> | undefined {
  const { tokens } = reading;
  const mark = tokens.mark();
  const token = tokens.nextWord();
  const { at, text } = token;
  switch (token.kind) {
    case "identifier":
      if (!reading.hasFunction(text)) throw tokens.error(`function ${quoteGo(text)} not defined`);
      return { kind: "identifier", at, name: text };
    case ".":
      return { kind: "dot", at };
    case "nil":
      return { kind: "nil", at };
    case "variable":
      if (!reading.variables.includes(text)) throw tokens.error(`undefined variable ${quoteGo(text)}`);
      return { kind: "variable", at, name: text, path: [] };
    case "field":
      return { kind: "field", at, path: [text.slice(1)] };
    case "bool":
      return { kind: "bool", at, value: text === "true" };
    case "character":
    case "number":
      return parseNumber(tokens, token);
    case "(":
      return parseParentheses(reading);
    case "string":
      return { kind: "string", at, value: readString(tokens, token), text };
    default:
      tokens.backTo(mark);
      return undefined;
  }
}

function parseParentheses(reading: Reading): PipeNode {
  if (reading.depth >= mostDepth) throw reading.tokens.error("max expression depth exceeded");
  reading.depth += 1;
  const pipe = parsePipeline(reading, "parenthesized pipeline", ")");
  reading.depth -= 1;
  return pipe;
}

function parseNumber(tokens: TokenStream, { at, text }: Token): NumberNode {
  try {
    return { kind: "number", at, text, ...readNumber(text) };
  } catch (error) {
    throw error instanceof TemplateError ? tokens.error(error.message) : error;
  }
}

/** What a quoted text says. */
export function readString(tokens: TokenStream, token: Token): string {
  const value = unquoteGo(token.text);
  if (value === undefined) throw tokens.error("invalid syntax");
  return value;
}
