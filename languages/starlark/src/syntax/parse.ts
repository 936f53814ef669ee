import { toText } from "../values/utf8.ts";
import type { Name, Position, Statement } from "./nodes.ts";
import { parseExpression, parseLoopTarget, parseParameters, parseTest } from "./parse-expressions.ts";
import { describe, TokenStream } from "./token-stream.ts";

/** The statements of a script; throws at the first mistake (go.starlark.net, syntax/parse.go). */
export function parseScript(file: string, source: string): Statement[] {
  const tokens = new TokenStream(file, source);
  const statements: Statement[] = [];
  while (!tokens.isEnd()) if (!tokens.accept("\n")) parseStatement(tokens, statements);
  return statements;
}

function parseStatement(tokens: TokenStream, into: Statement[]): void {
  if (tokens.is("def")) into.push(parseDef(tokens));
  else if (tokens.is("if")) into.push(parseIf(tokens));
  else if (tokens.is("for")) into.push(parseFor(tokens));
  else if (tokens.is("while")) into.push(parseWhile(tokens));
  else parseSimple(tokens, into);
}

function parseDef(tokens: TokenStream): Statement {
  const { at } = tokens.take();
  const name = tokens.expectName();
  tokens.expect("(");
  const parameters = parseParameters(tokens);
  tokens.expect(")");
  tokens.expect(":");
  return { kind: "def", at, name, code: { name: name.name, at, parameters, body: parseSuite(tokens) } };
}

/** Of `if` and `elif`. */
function parseIf(tokens: TokenStream): Statement {
  const { at } = tokens.take();
  const condition = parseTest(tokens);
  tokens.expect(":");
  const yes = parseSuite(tokens);
  return { kind: "if", at, condition, yes, no: parseElse(tokens) };
}

function parseElse(tokens: TokenStream): Statement[] {
  if (tokens.is("elif")) return [tokens.nested(() => parseIf(tokens))];
  if (!tokens.accept("else")) return [];
  tokens.expect(":");
  return parseSuite(tokens);
}

function parseFor(tokens: TokenStream): Statement {
  const { at } = tokens.take();
  const target = parseLoopTarget(tokens);
  tokens.expect("in");
  const source = parseExpression(tokens, false);
  tokens.expect(":");
  return { kind: "for", at, target, source, body: parseSuite(tokens) };
}

function parseWhile(tokens: TokenStream): Statement {
  const { at } = tokens.take();
  const condition = parseTest(tokens);
  tokens.expect(":");
  return { kind: "while", at, condition, body: parseSuite(tokens) };
}

function parseSuite(tokens: TokenStream): Statement[] {
  const body: Statement[] = [];
  return tokens.nested(() => {
    if (!tokens.accept("\n")) parseSimple(tokens, body);
    else {
      tokens.expect("indent");
      while (!tokens.is("outdent") && !tokens.isEnd()) parseStatement(tokens, body);
      tokens.expect("outdent");
    }
    return body;
  });
}

/** Small statements with `;` between them. */
function parseSimple(tokens: TokenStream, into: Statement[]): void {
  do into.push(parseSmall(tokens));
  while (tokens.accept(";") && !tokens.is("\n") && !tokens.isEnd());
  if (!tokens.isEnd()) tokens.expect("\n");
}

const assignments = ["=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="];

function parseSmall(tokens: TokenStream): Statement {
  if (tokens.is("return")) {
    const { at } = tokens.take();
    const isBare = tokens.isEnd() || tokens.is("\n") || tokens.is(";");
    return { kind: "return", at, value: isBare ? undefined : parseExpression(tokens, false) };
  }
  for (const kind of ["break", "continue", "pass"] as const)
    if (tokens.is(kind)) return { kind, at: tokens.take().at };
  if (tokens.is("load")) return parseLoad(tokens);
  const target = parseExpression(tokens, false);
  if (!tokens.isOneOf(assignments)) return { kind: "expression", value: target };
  const { at, text } = tokens.take();
  return { kind: "assign", at, operator: text, target, value: parseExpression(tokens, false) };
}

function parseLoad(tokens: TokenStream): Statement {
  const { at } = tokens.take();
  const bracket = tokens.expect("(");
  if (tokens.token.kind !== "string")
    throw tokens.error("first operand of load statement must be a string literal");
  const module = takeText(tokens).name;
  const names: { from: Name; to: Name }[] = [];
  while (!tokens.is(")") && !tokens.isEnd()) {
    tokens.expect(",");
    if (!tokens.is(")")) names.push(parseLoaded(tokens));
  }
  tokens.expect(")");
  if (names.length === 0) throw tokens.error("load statement must import at least 1 symbol", bracket);
  return { kind: "load", at, module, names };
}

/** `"name"` or `local="name"`. */
function parseLoaded(tokens: TokenStream): { from: Name; to: Name } {
  const { token } = tokens;
  if (token.kind === "string") {
    const name = takeText(tokens);
    return { from: name, to: name };
  }
  if (token.kind !== "name")
    throw tokens.error(`load operand must be "name" or localname="name" (got ${describe(token)})`);
  const to = tokens.expectName();
  if (!tokens.is("="))
    throw tokens.error(
      `load operand must be "${to.name}" or ${to.name}="originalname" (want '=' after ${to.name})`,
    );
  tokens.take();
  if (tokens.token.kind !== "string")
    throw tokens.error(`original name of loaded symbol must be quoted: ${to.name}="originalname"`);
  return { from: takeText(tokens), to };
}

/** A string literal as a name, which begins after its quote. */
function takeText(tokens: TokenStream): Name {
  const token = tokens.take();
  const at: Position = { line: token.at.line, column: token.at.column + 1 };
  return { kind: "name", at, name: token.kind === "string" ? toText(token.value) : "" };
}
