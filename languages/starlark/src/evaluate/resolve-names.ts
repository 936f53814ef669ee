import { nearestName } from "../operators/nearest-name.ts";
import type {
  Argument,
  Clause,
  Code,
  Comprehension,
  Expression,
  Name,
  Position,
  Statement,
} from "../syntax/nodes.ts";
import { partsOf, startOf } from "../syntax/nodes.ts";
import { syntaxError } from "../syntax/read-tokens.ts";
import { checkArguments, checkParameters, slotOrder } from "./check-calls.ts";

/** Where a name's value is. */
export type Binding =
  | { kind: "predeclared" }
  | {
      kind: "variable";
      slot: number;
      /** How many functions lie between its use and its frame. */
      distance: number;
      isGlobal: boolean;
    };

interface Scope {
  kind: "file" | "function" | "comprehension";
  outer: Scope | undefined;
  slots: Map<string, number>;
  /** Of the frame that the scope's variables lie in. */
  frame: { size: number };
}

/**
 * Finds what every name means. Throws at the first mistake. Names that a function assigns are its own throughout;
 * the script's own statements see only what stands above them (go.starlark.net resolve with AllowSet, AllowRecursion
 * and AllowGlobalReassign, as kpt sets them).
 */
export function resolveNames(
  file: string,
  statements: readonly Statement[],
  isPredeclared: (name: string) => boolean,
): Map<Name, Binding> {
  return new Resolver(file, isPredeclared).resolve(statements);
}

const openScope = (kind: Scope["kind"], outer: Scope | undefined, frame = { size: 0 }): Scope => ({
  kind,
  outer,
  slots: new Map(),
  frame,
});

class Resolver {
  readonly #file: string;
  readonly #isPredeclared: (name: string) => boolean;
  readonly #bindings = new Map<Name, Binding>();
  readonly #script = openScope("file", undefined);
  readonly #loaded = new Set<string>();
  readonly #later: { name: Name; scope: Scope }[] = [];
  #scope = this.#script;
  #loops = 0;
  #conditions = 0;

  constructor(file: string, isPredeclared: (name: string) => boolean) {
    this.#file = file;
    this.#isPredeclared = isPredeclared;
  }

  resolve(statements: readonly Statement[]): Map<Name, Binding> {
    this.#statements(statements);
    for (const { name, scope } of this.#later) this.#find(name, scope);
    return this.#bindings;
  }

  #statements(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "expression":
        this.#expression(statement.value);
        break;
      case "assign":
        this.#expression(statement.value);
        this.#assign(statement.target, statement.operator !== "=");
        break;
      case "return":
        if (!this.#isInFunction()) this.#fail(statement.at, "return statement not within a function");
        if (statement.value) this.#expression(statement.value);
        break;
      case "break":
      case "continue":
        if (this.#loops === 0) this.#fail(statement.at, `${statement.kind} not in a loop`);
        break;
      case "if":
        this.#if(statement);
        break;
      case "for":
        this.#expression(statement.source);
        this.#assign(statement.target, false);
        this.#loop(statement.body);
        break;
      case "while":
        this.#expression(statement.condition);
        this.#loop(statement.body);
        break;
      case "def":
        this.#bind(statement.name);
        this.#function(statement.code);
        break;
      case "load":
        this.#load(statement);
    }
  }

  #if({ condition, yes, no }: Statement & { kind: "if" }): void {
    this.#expression(condition);
    this.#conditions++;
    this.#statements(yes);
    this.#statements(no);
    this.#conditions--;
  }

  #loop(body: readonly Statement[]): void {
    this.#loops++;
    this.#statements(body);
    this.#loops--;
  }

  #load({ at, names }: Statement & { kind: "load" }): void {
    if (this.#isInFunction()) this.#fail(at, "load statement within a function");
    if (this.#loops > 0) this.#fail(at, "load statement within a loop");
    if (this.#conditions > 0) this.#fail(at, "load statement within a conditional");
    for (const { from, to } of names) {
      if (from.name === "") this.#fail(from.at, "load: empty identifier");
      if (from.name.startsWith("_"))
        this.#fail(from.at, `load: names with leading underscores are not exported: ${from.name}`);
      this.#loaded.add(to.name);
      this.#bind(to);
    }
  }

  #function(code: Code): void {
    for (const parameter of code.parameters)
      if (parameter.kind === "plain" && parameter.fallback) this.#expression(parameter.fallback);
    const { at, problem } = checkParameters(code.parameters) ?? {};
    if (at && problem !== undefined) this.#fail(at, problem);
    const outerLoops = this.#loops;
    this.#loops = 0;
    this.#within(openScope("function", this.#scope), () => {
      for (const name of slotOrder(code.parameters)) this.#bind(name);
      this.#statements(code.body);
    });
    this.#loops = outerLoops;
  }

  #within(scope: Scope, resolve: () => void): void {
    this.#scope = scope;
    resolve();
    this.#scope = scope.outer ?? this.#script;
  }

  #assign(target: Expression, isAugmented: boolean): void {
    switch (target.kind) {
      case "name":
        this.#bind(target);
        break;
      case "parentheses":
        this.#assign(target.inner, isAugmented);
        break;
      case "index":
        this.#expression(target.target);
        this.#expression(target.index);
        break;
      case "attribute":
        this.#expression(target.target);
        break;
      case "tuple":
      case "list":
        if (isAugmented)
          this.#fail(startOf(target), `can't use ${target.kind} expression in augmented assignment`);
        for (const item of target.items) this.#assign(item, false);
        break;
      default:
        this.#fail(startOf(target), `can't assign to ${goKinds[target.kind]}`);
    }
  }

  #expression(expression: Expression): void {
    if (expression.kind === "name") this.#use(expression);
    else if (expression.kind === "comprehension") this.#comprehension(expression);
    else if (expression.kind === "lambda") this.#function(expression.code);
    else if (expression.kind === "call") {
      this.#expression(expression.target);
      this.#arguments(expression.arguments, startOf(expression));
    } else for (const part of partsOf(expression)) this.#expression(part);
  }

  #arguments(list: readonly Argument[], at: Position): void {
    const wrong = checkArguments(list, at);
    if (wrong) this.#fail(wrong.at, wrong.problem);
    for (const argument of list) this.#expression(argument.value);
  }

  /** The first source is evaluated outside; the comprehension's variables are its own. */
  #comprehension({ clauses, body }: Comprehension): void {
    const [first, ...rest] = clauses;
    if (first?.kind === "for") this.#expression(first.source);
    this.#within(openScope("comprehension", this.#scope, this.#scope.frame), () => {
      if (first?.kind === "for") this.#assign(first.target, false);
      for (const clause of rest) this.#clause(clause);
      const parts = "element" in body ? [body.element] : [body.entry.key, body.entry.value];
      for (const part of parts) this.#expression(part);
    });
  }

  #clause(clause: Clause): void {
    if (clause.kind === "if") this.#expression(clause.condition);
    else {
      this.#assign(clause.target, false);
      this.#expression(clause.source);
    }
  }

  #bind(name: Name): void {
    const { slots, frame } = this.#scope;
    if (!slots.has(name.name)) slots.set(name.name, frame.size++);
    this.#use(name);
  }

  #use(name: Name): void {
    if (this.#scope === this.#script) this.#find(name, this.#scope);
    else this.#later.push({ name, scope: this.#scope });
  }

  #find(name: Name, from: Scope): void {
    let distance = 0;
    for (let scope: Scope | undefined = from; scope; scope = scope.outer) {
      const slot = scope.slots.get(name.name);
      if (slot !== undefined) {
        const isGlobal = scope.kind === "file" && !this.#loaded.has(name.name);
        this.#bindings.set(name, { kind: "variable", slot, distance, isGlobal });
        return;
      }
      if (scope.kind === "function") distance++;
    }
    if (!this.#isPredeclared(name.name)) this.#failUndefined(name, from);
    this.#bindings.set(name, { kind: "predeclared" });
  }

  #failUndefined(name: Name, from: Scope): never {
    const known: string[] = [];
    for (let scope: Scope | undefined = from; scope; scope = scope.outer) known.push(...scope.slots.keys());
    const near = nearestName(name.name, known.sort());
    this.#fail(name.at, `undefined: ${name.name}${near === undefined ? "" : ` (did you mean ${near}?)`}`);
  }

  #isInFunction(): boolean {
    for (let scope: Scope | undefined = this.#scope; scope; scope = scope.outer)
      if (scope.kind === "function") return true;
    return false;
  }

  #fail(at: Position, problem: string): never {
    throw syntaxError(this.#file, at, problem);
  }
}

/** As go.starlark.net names kinds of expressions. */
const goKinds = {
  literal: "literal",
  binary: "binaryexpr",
  logic: "binaryexpr",
  unary: "unaryexpr",
  choice: "condexpr",
  dict: "dictexpr",
  comprehension: "comprehension",
  slice: "sliceexpr",
  call: "callexpr",
  lambda: "lambdaexpr",
} as const;
