import { ExprError } from "../expr-error.ts";
import { readPattern } from "../values/operators.ts";
import { isBuiltin, predicateCalls } from "./names.ts";
import type { Node } from "./nodes.ts";
import { readLiteral } from "./read-literal.ts";
import { readTokens, type Token } from "./read-tokens.ts";
import { binary, comparisons, negatable, unary } from "./strengths.ts";
import { TokenCursor } from "./token-cursor.ts";

const identifier = /^[\p{L}_$][\p{L}\p{Nd}_$]*$/u;

/** Reads an expression of expr (expr-lang/expr v1.17, parser.go); throws ExprError with its place. */
export function parse(source: string): Node {
  return new Parser(readTokens(source)).whole();
}

class Parser extends TokenCursor {
  /** Predicates around: there `#` and a leading `.` have a meaning. */
  #predicates = 0;

  whole(): Node {
    const node = this.#sequence();
    if (this.current.kind !== "end") throw this.unexpected();
    return node;
  }

  #sequence(): Node {
    const nodes = [this.#expression(0)];
    while (this.is("operator", ";")) {
      this.next();
      if (this.is("end")) break;
      nodes.push(this.#expression(0));
    }
    const [first] = nodes;
    if (first && nodes.length === 1) return first;
    return this.made({ kind: "sequence", at: first?.at ?? 0, nodes });
  }

  #expression(precedence: number): Node {
    return this.deeper(() => {
      if (precedence === 0 && this.is("operator", "let")) return this.#declaration();
      if (precedence === 0 && this.is("operator", "if")) return this.#if();
      const left = this.#binary(this.#primary(), precedence);
      return precedence === 0 ? this.#conditional(left) : left;
    });
  }

  #binary(first: Node, precedence: number): Node {
    let left = first;
    let previous = "";
    while (this.is("operator")) {
      const from = this.place;
      const isNegated = this.is("operator", "not");
      if (isNegated) this.next();
      const token = this.current;
      if (isNegated && !negatable.has(token.value)) throw this.unexpected(token);
      const strength = binary[token.value];
      if (token.kind !== "operator" || strength === undefined || strength < precedence) {
        this.place = from;
        break;
      }
      this.next();
      if (token.value === "|") left = this.#call(this.expect("name"), [left]);
      else {
        if (previous === "??" && token.value !== "??")
          throw new ExprError(
            `${token.value} and ?? cannot be mixed: put one of them in parentheses`,
            token.at,
          );
        left = this.#operation(left, token, strength);
        if (isNegated) left = this.made({ kind: "unary", at: token.at, operator: "not", operand: left });
      }
      previous = token.value;
    }
    return left;
  }

  #operation(left: Node, { value: operator, at }: Token, strength: number): Node {
    if (comparisons.has(operator)) return this.#comparison(left, { operator, at }, strength);
    const isRight = operator === "**" || operator === "^";
    const right = this.#expression(isRight ? strength : strength + 1);
    if (operator === "matches" && right.kind === "literal" && typeof right.value === "string")
      readPattern(right.value);
    return this.made({ kind: "binary", at, operator, left, right });
  }

  /** `a < b < c` is `a < b && b < c`. */
  #comparison(first: Node, start: { operator: string; at: number }, strength: number): Node {
    let [left, { operator, at }] = [first, start];
    let whole: Node | undefined;
    for (;;) {
      const right = this.#expression(strength + 1);
      const one = this.made({ kind: "binary", at, operator, left, right } as const);
      whole = whole
        ? this.made({ kind: "binary", at, operator: "&&", left: whole, right: one } as const)
        : one;
      if (!this.is("operator", ...comparisons)) return whole;
      ({ value: operator, at } = this.next());
      left = right;
    }
  }

  #declaration(): Node {
    this.next();
    const { value: name, at } = this.expect("name");
    this.expect("operator", "=");
    const value = this.#expression(0);
    this.expect("operator", ";");
    return this.made({ kind: "let", at, name, value, within: this.#sequence() });
  }

  #if(): Node {
    const { at } = this.next();
    const test = this.#expression(0);
    const then = this.#block();
    this.expect("operator", "else");
    const otherwise = this.is("operator", "if") ? this.#expression(0) : this.#block();
    return this.made({ kind: "condition", at, test, then, otherwise });
  }

  #block(): Node {
    this.expect("bracket", "{");
    const node = this.#sequence();
    this.expect("bracket", "}");
    return node;
  }

  #conditional(first: Node): Node {
    let node = first;
    while (this.is("operator", "?")) {
      const { at } = this.next();
      const then = this.is("operator", ":") ? node : this.#expression(0);
      this.expect("operator", ":");
      const otherwise = this.#expression(0);
      node = this.made({ kind: "condition", at, test: node, then, otherwise });
    }
    return node;
  }

  #primary(): Node {
    const token = this.current;
    const { at, value } = token;
    const strength = token.kind === "operator" ? unary[value] : undefined;
    if (strength !== undefined) {
      this.next();
      const operand = this.#expression(strength);
      return this.#postfix(this.made({ kind: "unary", at, operator: value, operand }));
    }
    if (this.is("bracket", "(")) {
      this.next();
      const node = this.#sequence();
      this.expect("bracket", ")");
      return this.#postfix(node);
    }
    if (this.#predicates > 0 && this.is("operator", "#", ".")) {
      if (value === "#") this.next();
      const name = value === "#" && this.is("name") ? this.next().value : "";
      return this.#postfix(this.made({ kind: "pointer", at, name }));
    }
    if (this.is("operator", "::")) {
      this.next();
      return this.#postfix(this.#call(this.expect("name"), []));
    }
    return this.#secondary();
  }

  #secondary(): Node {
    const { kind, value, at } = this.current;
    const literal = readLiteral(this.current);
    if (literal !== undefined) {
      this.next();
      const node = this.made({ kind: "literal", at, value: literal });
      return kind === "text" ? this.#postfix(node) : node;
    }
    if (kind === "name") {
      const token = this.next();
      if (this.is("bracket", "(")) return this.#postfix(this.#call(token, []));
      return this.#postfix(this.made({ kind: "name", at, name: value }));
    }
    if (this.is("bracket", "[")) {
      this.next();
      return this.#postfix(this.made({ kind: "array", at, items: this.#list("]") }));
    }
    if (this.is("bracket", "{")) return this.#postfix(this.#map());
    throw this.unexpected();
  }

  /** Up to the bracket; a comma may stand before it. */
  #list(end: string): Node[] {
    const items: Node[] = [];
    while (!this.is("bracket", end)) {
      if (items.length > 0) this.expect("operator", ",");
      if (this.is("bracket", end)) break;
      items.push(this.#expression(0));
    }
    this.expect("bracket", end);
    return items;
  }

  #map(): Node {
    const { at } = this.next();
    const pairs: [Node, Node][] = [];
    while (!this.is("bracket", "}")) {
      if (pairs.length > 0) this.expect("operator", ",");
      if (this.is("bracket", "}")) break;
      const { kind, at: keyAt, value } = this.current;
      const isPlain = kind === "name" || kind === "number" || kind === "text";
      if (!isPlain && !this.is("bracket", "(")) throw this.unexpected();
      if (isPlain) this.next();
      const key = isPlain ? this.made({ kind: "literal", at: keyAt, value }) : this.#expression(0);
      this.expect("operator", ":");
      pairs.push([key, this.#expression(0)]);
    }
    this.expect("bracket", "}");
    return this.made({ kind: "map", at, pairs });
  }

  #call({ value: name, at }: Token, given: readonly Node[]): Node {
    const shape = predicateCalls[name];
    if (shape !== undefined) return this.#predicateCall({ name, at }, given, shape);
    this.expect("bracket", "(");
    const values = [...given, ...this.#list(")")];
    if (isBuiltin(name)) return this.made({ kind: "builtin", at, name, values });
    const callee = this.made({ kind: "name", at, name });
    return this.made({ kind: "call", at, callee, values });
  }

  #predicateCall(
    { name, at }: { name: string; at: number },
    given: readonly Node[],
    shape: { needed: number; most: number },
  ): Node {
    this.expect("bracket", "(");
    const values = [...given];
    for (let index = given.length; index < shape.most; index += 1) {
      if (this.is("bracket", ")")) {
        if (index < shape.needed)
          throw new ExprError(`${name} needs ${shape.needed} arguments`, this.current.at);
        break;
      }
      if (index > given.length) this.expect("operator", ",");
      values.push(index === 1 ? this.#predicate() : this.#expression(0));
    }
    if (this.is("operator", ",")) this.next();
    this.expect("bracket", ")");
    return this.made({ kind: "builtin", at, name, values });
  }

  #predicate(): Node {
    this.#predicates += 1;
    const node = this.is("bracket", "{") ? this.#block() : this.#expression(0);
    this.#predicates -= 1;
    return node;
  }

  #postfix(first: Node): Node {
    let node = first;
    for (;;) {
      if (this.is("operator", ".", "?.")) {
        const isOptional = this.next().value === "?.";
        node =
          isOptional && this.is("bracket", "[")
            ? this.#indexed(node, true)
            : this.#property(node, isOptional);
      } else if (this.is("bracket", "[")) node = this.#indexed(node, false);
      else return node;
    }
  }

  #property(before: Node, isOptional: boolean): Node {
    const { kind, value, at } = this.next();
    if (kind !== "name" && (kind !== "operator" || !identifier.test(value)))
      throw new ExprError("a name is missing after the dot", at);
    const isChain = before.kind === "chain";
    const of = before.kind === "chain" ? before.within : before;
    const property = this.made({ kind: "literal", at, value } as const);
    let node: Node = this.made({ kind: "member", at, of, property, isOptional });
    if (this.is("bracket", "(")) {
      this.next();
      node = this.made({ kind: "call", at, callee: node, values: this.#list(")") });
    }
    return isChain || isOptional ? this.made({ kind: "chain", at, within: node }) : node;
  }

  #indexed(of: Node, isOptional: boolean): Node {
    const { at } = this.expect("bracket", "[");
    const from = this.is("operator", ":") ? undefined : this.#expression(0);
    if (this.is("operator", ":")) {
      this.next();
      const to = this.is("bracket", "]") ? undefined : this.#expression(0);
      this.expect("bracket", "]");
      return this.made({ kind: "slice", at, of, ...(from ? { from } : {}), ...(to ? { to } : {}) });
    }
    this.expect("bracket", "]");
    if (!from) throw this.unexpected();
    const node = this.made({ kind: "member", at, of, property: from, isOptional } as const);
    return isOptional ? this.made({ kind: "chain", at, within: node }) : node;
  }
}
