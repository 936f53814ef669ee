import { ExprError } from "../expr-error.ts";
import type { Caller } from "../functions/definition.ts";
import { functions } from "../functions/functions.ts";
import { isBuiltin, predicateCalls } from "../syntax/names.ts";
import type { Node } from "../syntax/nodes.ts";
import { fetchMember, sliceOf } from "../values/members.ts";
import { operators, toBoolean, toInteger, toText } from "../values/operators.ts";
import { ExprFunction, ExprMap, isNil, isNumeric, typeOf, type Value } from "../values/value.ts";
import { predicates, type Scope } from "./predicates.ts";

interface Around {
  readonly scope?: Scope;
  readonly variables: ReadonlyMap<string, Value>;
}

/** The value of an expression; undefined inside a chain that has ended. */
export class Evaluation {
  readonly #env: ExprMap;
  readonly #caller: Caller;

  constructor(env: ExprMap, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
  }

  of(node: Node): Value {
    return this.#value(node, { variables: new Map() });
  }

  #value(node: Node, around: Around): Value {
    return this.#play(node, around) ?? null;
  }

  #play(node: Node, around: Around): Value | undefined {
    this.#caller.budget.step();
    try {
      return this.#kind(node, around);
    } catch (error) {
      if (error instanceof ExprError && error.position === undefined)
        throw new ExprError(error.message, node.at);
      throw error;
    }
  }

  #kind(node: Node, around: Around): Value | undefined {
    switch (node.kind) {
      case "literal":
        return node.value;
      case "name":
        return this.#name(node.name, around);
      case "pointer":
        return pointed(node.name, around.scope);
      case "array":
        this.#caller.budget.make(node.items.length);
        return node.items.map((item) => this.#value(item, around));
      case "map":
        this.#caller.budget.make(node.pairs.length);
        return new ExprMap(
          new Map(
            node.pairs.map(([key, value]) => [toText(this.#value(key, around)), this.#value(value, around)]),
          ),
        );
      case "unary":
        return unaryOf(node.operator, this.#value(node.operand, around));
      case "binary":
        return this.#binary(node, around);
      case "condition":
        return this.#value(toBoolean(this.#value(node.test, around)) ? node.then : node.otherwise, around);
      case "chain":
        return this.#play(node.within, around) ?? null;
      case "member":
      case "slice":
        return this.#part(node, around);
      case "call":
        return this.#call(node, around);
      case "builtin":
        return this.#builtin(node, around);
      case "let":
        return this.#let(node, around);
      case "sequence":
        return node.nodes.map((one) => this.#value(one, around)).at(-1) ?? null;
    }
  }

  #name(name: string, { variables }: Around): Value {
    if (name === "$env") return this.#env;
    return variables.get(name) ?? this.#env.entries.get(name) ?? null;
  }

  #binary({ operator, left, right }: Extract<Node, { kind: "binary" }>, around: Around): Value {
    const first = this.#value(left, around);
    if (operator === "??") return isNil(first) ? this.#value(right, around) : first;
    if (operator === "and" || operator === "&&") return toBoolean(first) ? this.#value(right, around) : false;
    if (operator === "or" || operator === "||") return toBoolean(first) ? true : this.#value(right, around);
    const play = operators[operator];
    if (!play) throw new ExprError(`there is no operator ${operator}`);
    return play(first, this.#value(right, around), this.#caller.budget);
  }

  #part(node: Extract<Node, { kind: "member" | "slice" }>, around: Around): Value | undefined {
    const of = this.#play(node.of, around);
    if (of === undefined) return undefined;
    if (node.kind === "slice") {
      const at = (end: Node | undefined) => end && toInteger(this.#value(end, around));
      const part = sliceOf(of, at(node.from) ?? 0, at(node.to));
      this.#caller.budget.make(typeof part === "string" || Array.isArray(part) ? part.length : 0);
      return part;
    }
    if (node.isOptional && isNil(of)) return undefined;
    return fetchMember(of, this.#value(node.property, around));
  }

  #call({ callee, values }: Extract<Node, { kind: "call" }>, around: Around): Value | undefined {
    const called = this.#play(callee, around);
    if (called === undefined) return undefined;
    if (!(called instanceof ExprFunction)) {
      const name = callee.kind === "name" ? ` ${callee.name}` : "";
      throw new ExprError(called === null ? `there is no function${name}` : `cannot call ${typeOf(called)}`);
    }
    return called.call(values.map((value) => this.#value(value, around)));
  }

  #builtin({ name, values }: Extract<Node, { kind: "builtin" }>, around: Around): Value {
    if (!predicateCalls[name]) {
      const given = values.map((value) => this.#value(value, around));
      const play = functions[name];
      if (!play) throw new ExprError(`there is no function ${name}`);
      return play(given, this.#caller);
    }
    const [list, predicate, third] = values;
    if (!list) throw new ExprError(`${name} needs an array`);
    const play = predicates[name];
    if (!play) throw new ExprError(`there is no function ${name}`);
    return play({
      list: this.#value(list, around),
      of: predicate && ((scope) => this.#value(predicate, { ...around, scope })),
      third: third && this.#value(third, around),
      budget: this.#caller.budget,
    });
  }

  #let({ name, value, within }: Extract<Node, { kind: "let" }>, around: Around): Value {
    if (isBuiltin(name)) throw new ExprError(`${name} is a function and cannot be declared`);
    if (around.variables.has(name)) throw new ExprError(`${name} is declared already`);
    const variables = new Map(around.variables).set(name, this.#value(value, around));
    return this.#value(within, { ...around, variables });
  }
}

function pointed(name: string, scope: Scope | undefined): Value {
  if (!scope) throw new ExprError("# stands outside a predicate");
  if (name === "") return scope.element;
  if (name === "index") return BigInt(scope.index);
  if (name === "acc" && scope.accumulated !== undefined) return scope.accumulated;
  throw new ExprError(`there is no #${name}`);
}

function unaryOf(operator: string, value: Value): Value {
  if (operator === "not" || operator === "!") return !toBoolean(value);
  if (!isNumeric(value)) throw new ExprError(`invalid operation: ${operator} ${typeOf(value)}`);
  if (operator === "+") return value;
  return typeof value === "bigint" ? BigInt.asIntN(64, -value) : -value;
}
