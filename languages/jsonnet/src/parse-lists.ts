import type { Parser } from "./parse.ts";
import type { Bind, Clause, NamedArgument, Node, Param } from "./syntax.ts";

/** `(a, b=1)` of a function. */
export function parseParams(parser: Parser): readonly Param[] {
  const params: Param[] = [];
  parser.expect("(");
  while (!parser.is(")")) {
    const name = parser.expectName();
    if (params.some((one) => one.name === name))
      throw parser.unexpected(`the parameter ${name} is given twice; expected another name`);
    params.push({ name, fallback: parser.accept("=") ? parser.expression() : undefined });
    if (!parser.accept(",")) break;
  }
  parser.expect(")");
  return params;
}

/** `(1, b=2)` of a call: positional ones first. */
export function parseArguments(parser: Parser): {
  positional: readonly Node[];
  named: readonly NamedArgument[];
} {
  const positional: Node[] = [];
  const named: NamedArgument[] = [];
  parser.expect("(");
  while (!parser.is(")")) {
    if (parser.peek().kind === "name" && parser.is("=", 1)) {
      const name = parser.expectName();
      parser.expect("=");
      named.push({ name, value: parser.expression() });
    } else {
      if (named.length > 0) throw parser.unexpected("expected a named argument after a named one");
      positional.push(parser.expression());
    }
    if (!parser.accept(",")) break;
  }
  parser.expect(")");
  return { positional, named };
}

/** `a = 1, f(x) = x` after `local`. */
export function parseBinds(parser: Parser): readonly Bind[] {
  const binds: Bind[] = [];
  do {
    const bind = parseBind(parser);
    if (binds.some(({ name }) => name === bind.name))
      throw parser.unexpected(`${bind.name} is defined twice; expected another name`);
    binds.push(bind);
  } while (parser.accept(","));
  return binds;
}

export function parseBind(parser: Parser): Bind {
  const { at } = parser.peek();
  const name = parser.expectName();
  const params = parser.is("(") ? parseParams(parser) : undefined;
  parser.expect("=");
  const body = parser.expression();
  return { name, value: params ? { type: "function", params, body, at } : body };
}

/** `for x in xs if …` of a comprehension, at least one `for`. */
export function parseClauses(parser: Parser): readonly Clause[] {
  const clauses: Clause[] = [];
  while (parser.is("for") || (clauses.length > 0 && parser.is("if"))) {
    if (parser.accept("if")) {
      clauses.push({ kind: "if", condition: parser.expression() });
      continue;
    }
    parser.expect("for");
    const name = parser.expectName();
    parser.expect("in");
    clauses.push({ kind: "for", name, over: parser.expression() });
  }
  return clauses;
}
