import type { Argument, Clause, DictEntry, Expression, Parameter, Statement } from "./nodes.ts";
import { describe, type TokenStream } from "./token-stream.ts";

const levels: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["not"],
  ["==", "!=", "<", ">", "<=", ">=", "in", "not in"],
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["-", "+"],
  ["*", "%", "/", "//"],
];
const comparison = 3;
const precedences = new Map(levels.flatMap((level, at) => level.map((text) => [text, at] as const)));

/** One test, or several with commas between them: a tuple. */
export function parseExpression(tokens: TokenStream, isInParentheses: boolean): Expression {
  const first = parseTest(tokens);
  if (!tokens.is(",")) return first;
  return { kind: "tuple", at: first.at, items: parseMore(tokens, [first], isInParentheses) };
}

function parseMore(tokens: TokenStream, items: Expression[], mayEndWithComma: boolean): Expression[] {
  while (tokens.is(",")) {
    const { at } = tokens.take();
    if (tokens.isEnd() || tokens.isOneOf(["\n", "=", "}", "]", ")", ";"])) {
      if (!mayEndWithComma) throw tokens.error("unparenthesized tuple with trailing comma", at);
      break;
    }
    items.push(parseTest(tokens));
  }
  return items;
}

export function parseLoopTarget(tokens: TokenStream): Expression {
  const first = parseSuffixed(tokens);
  if (!tokens.is(",")) return first;
  const items = [first];
  while (tokens.accept(",")) {
    if (tokens.isEnd() || tokens.isOneOf(["\n", "=", "}", "]", ")", ";"])) break;
    items.push(parseSuffixed(tokens));
  }
  return { kind: "tuple", at: first.at, items };
}

export function parseParameters(tokens: TokenStream): Parameter[] {
  const parameters: Parameter[] = [];
  while (!tokens.isOneOf([")", ":"]) && !tokens.isEnd()) {
    if (parameters.length > 0) tokens.expect(",");
    if (tokens.is(")")) break;
    parameters.push(parseParameter(tokens));
  }
  return parameters;
}

function parseParameter(tokens: TokenStream): Parameter {
  if (tokens.is("**")) return { kind: "**", at: tokens.take().at, name: tokens.expectName() };
  if (tokens.is("*")) {
    const { at } = tokens.take();
    return { kind: "*", at, name: tokens.token.kind === "name" ? tokens.expectName() : undefined };
  }
  const name = tokens.expectName();
  if (!tokens.is("=")) return { kind: "plain", at: name.at, name, fallback: undefined };
  const { at } = tokens.take();
  return { kind: "plain", at, name, fallback: parseTest(tokens) };
}

export function parseTest(tokens: TokenStream): Expression {
  return tokens.nested(() => {
    if (tokens.is("lambda")) return parseLambda(tokens, parseTest);
    const yes = parseLevel(tokens, 0);
    if (!tokens.is("if")) return yes;
    const { at } = tokens.take();
    const condition = parseLevel(tokens, 0);
    if (!tokens.accept("else")) throw tokens.error("conditional expression without else clause", at);
    return { kind: "choice", at, condition, yes, no: parseTest(tokens) };
  });
}

/** Without `if … else` behind it, since `if` begins a clause there. */
function parsePlainTest(tokens: TokenStream): Expression {
  return tokens.is("lambda") ? parseLambda(tokens, parsePlainTest) : parseLevel(tokens, 0);
}

function parseLambda(tokens: TokenStream, parseBody: (tokens: TokenStream) => Expression): Expression {
  const { at } = tokens.take();
  const parameters = parseParameters(tokens);
  tokens.expect(":");
  const value = tokens.nested(() => parseBody(tokens));
  const body: Statement[] = [{ kind: "return", at: value.at, value }];
  return { kind: "lambda", at, code: { name: "lambda", at, parameters, body } };
}

function parseLevel(tokens: TokenStream, level: number): Expression {
  return tokens.nested(() => {
    if (level >= levels.length) return parseSuffixed(tokens);
    if (tokens.is("not") && precedences.get("not") === level) {
      const { at } = tokens.take();
      return { kind: "unary", at, operator: "not", operand: parseLevel(tokens, level) };
    }
    return parseBinary(tokens, level);
  });
}

function parseBinary(tokens: TokenStream, level: number): Expression {
  let left = parseLevel(tokens, level + 1);
  let previous: string | undefined;
  for (;;) {
    tokens.joinNotIn();
    const operator = tokens.token.text;
    const found = tokens.is(operator) ? precedences.get(operator) : undefined;
    if (found === undefined || found < level) return left;
    if (previous !== undefined && found === comparison)
      throw tokens.error(`${previous} does not associate with ${operator} (use parens)`);
    const { at } = tokens.take();
    const right = parseLevel(tokens, found + 1);
    left =
      operator === "and" || operator === "or"
        ? { kind: "logic", at, operator, left, right }
        : { kind: "binary", at, operator, left, right };
    previous = operator;
  }
}

function parseSuffixed(tokens: TokenStream): Expression {
  let target = parsePrimary(tokens);
  for (;;) {
    if (tokens.is(".")) {
      const { at } = tokens.take();
      target = { kind: "attribute", at, target, name: tokens.expectName().name };
    } else if (tokens.is("[")) target = parseIndex(tokens, target);
    else if (tokens.is("(")) {
      const { at } = tokens.take();
      target = { kind: "call", at, target, arguments: parseArguments(tokens) };
      tokens.expect(")");
    } else return target;
  }
}

function parseIndex(tokens: TokenStream, target: Expression): Expression {
  const { at } = tokens.take();
  const from = tokens.is(":") ? undefined : parseExpression(tokens, false);
  if (from && tokens.accept("]")) return { kind: "index", at, target, index: from };
  let to: Expression | undefined;
  let step: Expression | undefined;
  if (tokens.accept(":") && !tokens.isOneOf([":", "]"])) to = parseTest(tokens);
  if (tokens.accept(":") && !tokens.is("]")) step = parseTest(tokens);
  tokens.expect("]");
  return { kind: "slice", at, target, from, to, step };
}

function parseArguments(tokens: TokenStream): Argument[] {
  const list: Argument[] = [];
  while (!tokens.is(")") && !tokens.isEnd()) {
    if (list.length > 0) tokens.expect(",");
    if (tokens.is(")")) break;
    list.push(parseArgument(tokens));
  }
  return list;
}

function parseArgument(tokens: TokenStream): Argument {
  for (const kind of ["*", "**"] as const)
    if (tokens.is(kind)) return { kind, at: tokens.take().at, value: parseTest(tokens) };
  const value = parseTest(tokens);
  if (!tokens.is("=")) return { kind: "positional", at: value.at, value };
  if (value.kind !== "name") throw tokens.error("keyword argument must have form name=expr");
  tokens.take();
  return { kind: "named", at: value.at, name: value, value: parseTest(tokens) };
}

function parsePrimary(tokens: TokenStream): Expression {
  return tokens.nested((): Expression => {
    const { token } = tokens;
    if (token.kind === "name") return tokens.expectName();
    if (token.kind === "int" || token.kind === "float" || token.kind === "string" || token.kind === "bytes") {
      tokens.take();
      return { kind: "literal", at: token.at, value: token.value, isBytes: token.kind === "bytes" };
    }
    if (tokens.is("[")) return parseList(tokens);
    if (tokens.is("{")) return parseDict(tokens);
    if (tokens.is("(")) return parseParentheses(tokens);
    if (tokens.isOneOf(["-", "+", "~"])) {
      const { at, text } = tokens.take();
      return { kind: "unary", at, operator: text, operand: parseSuffixed(tokens) };
    }
    throw tokens.error(`got ${describe(token)}, want primary expression`, token.at);
  });
}

function parseParentheses(tokens: TokenStream): Expression {
  const { at } = tokens.take();
  if (tokens.accept(")")) return { kind: "tuple", at, items: [] };
  const inner = parseExpression(tokens, true);
  tokens.expect(")");
  return { kind: "parentheses", at, inner };
}

function parseList(tokens: TokenStream): Expression {
  const { at } = tokens.take();
  if (tokens.accept("]")) return { kind: "list", at, items: [] };
  const element = parseTest(tokens);
  if (tokens.is("for"))
    return { kind: "comprehension", at, body: { element }, clauses: parseClauses(tokens, "]") };
  const items = parseMore(tokens, [element], true);
  tokens.expect("]");
  return { kind: "list", at, items };
}

function parseDict(tokens: TokenStream): Expression {
  const { at } = tokens.take();
  if (tokens.accept("}")) return { kind: "dict", at, entries: [] };
  const entry = parseEntry(tokens);
  if (tokens.is("for"))
    return { kind: "comprehension", at, body: { entry }, clauses: parseClauses(tokens, "}") };
  const entries = [entry];
  while (tokens.accept(",") && !tokens.is("}")) entries.push(parseEntry(tokens));
  tokens.expect("}");
  return { kind: "dict", at, entries };
}

function parseEntry(tokens: TokenStream): DictEntry {
  const key = parseTest(tokens);
  const at = tokens.expect(":");
  return { at, key, value: parseTest(tokens) };
}

function parseClauses(tokens: TokenStream, end: string): Clause[] {
  const clauses: Clause[] = [];
  while (!tokens.accept(end)) {
    const { at } = tokens.token;
    if (tokens.accept("for")) {
      const target = parseLoopTarget(tokens);
      tokens.expect("in");
      clauses.push({ kind: "for", at, target, source: parseLevel(tokens, 0) });
    } else if (tokens.accept("if")) clauses.push({ kind: "if", at, condition: parsePlainTest(tokens) });
    else throw tokens.error(`got ${describe(tokens.token)}, want '${end}', for, or if`);
  }
  return clauses;
}
