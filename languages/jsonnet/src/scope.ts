import { JsonnetError } from "./jsonnet-error.ts";
import { toText } from "./operators.ts";
import type { Bind, Node } from "./syntax.ts";
import { type JsonnetObject, Thunk, typeOf, type Value } from "./values.ts";

/** Names in reach. `self` and `level` say which object, and which of its layers, the code belongs to. */
export interface Scope {
  readonly names: ReadonlyMap<string, Thunk>;
  readonly outer: Scope | undefined;
  readonly self: JsonnetObject | undefined;
  readonly level: number;
  readonly dollar: JsonnetObject | undefined;
  readonly run: Run;
}

/** One evaluation: what imports give, and how deep it may go. */
export interface Run {
  importFile(path: string, how: "import" | "importstr" | "importbin", from: string): Value;
  /** Through the run, so that the parts of the evaluator need not import each other. */
  evaluate(node: Node, scope: Scope): Value;
  readonly maxDepth: number;
  depth: number;
}

export function scopeWith(outer: Scope, names: ReadonlyMap<string, Thunk>): Scope {
  return { ...outer, names, outer };
}

export function lookUp(scope: Scope, name: string): Thunk | undefined {
  for (let one: Scope | undefined = scope; one; one = one.outer) {
    const found = one.names.get(name);
    if (found) return found;
  }
  return undefined;
}

/** Later names see earlier ones and themselves. */
export function bindAll(binds: readonly Bind[], outer: Scope): Scope {
  const names = new Map<string, Thunk>();
  const scope = scopeWith(outer, names);
  for (const { name, value } of binds) names.set(name, new Thunk(() => outer.run.evaluate(value, scope)));
  return scope;
}

export function evaluateBoolean(node: Node, scope: Scope): boolean {
  const value = scope.run.evaluate(node, scope);
  if (typeof value !== "boolean")
    throw new JsonnetError(`the condition must be a boolean, got ${typeOf(value)}`, node.at);
  return value;
}

export function checkAssert(
  { condition, message }: { condition: Node; message?: Node | undefined },
  scope: Scope,
): void {
  if (evaluateBoolean(condition, scope)) return;
  throw new JsonnetError(
    message ? toText(scope.run.evaluate(message, scope)) : "assertion failed",
    condition.at,
  );
}
