import { JsonnetError } from "./jsonnet-error.ts";
import { applyBinary } from "./operators.ts";
import { bindAll, checkAssert, evaluateBoolean, type Scope, scopeWith } from "./scope.ts";
import type { Clause, FieldNode, NodeOf, ObjectNode } from "./syntax.ts";
import { type Field, JsonnetArray, JsonnetObject, type Layer, Thunk, typeOf, type Value } from "./values.ts";

/** The scope of an object's inside, made once for each object that the literal becomes part of. */
function insideScopes(object: ObjectNode, outer: Scope): (self: JsonnetObject, level: number) => Scope {
  const made = new WeakMap<JsonnetObject, Map<number, Scope>>();
  return (self, level) => {
    const levels = made.get(self) ?? new Map<number, Scope>();
    made.set(self, levels);
    const kept = levels.get(level);
    if (kept) return kept;
    const dollar = object.outermost || !outer.dollar ? self : outer.dollar;
    const scope = bindAll(object.locals, { ...outer, self, level, dollar });
    levels.set(level, scope);
    return scope;
  };
}

type ScopeOf = (self: JsonnetObject, level: number) => Scope;

function fieldOf({ visibility, adds, value }: FieldNode, name: string, scopeOf: ScopeOf): Field {
  const compute = (self: JsonnetObject, level: number): Value => {
    const scope = scopeOf(self, level);
    const own = scope.run.evaluate(value, scope);
    const below = adds ? self.getBelow(name, level) : undefined;
    return below === undefined ? own : applyBinary("+", below, own);
  };
  return { visibility, adds, compute };
}

/** undefined: the computed name is null, and the field left out. */
function nameOf(node: FieldNode, scope: Scope): string | undefined {
  const name = scope.run.evaluate(node.name, scope);
  if (name === null) return undefined;
  if (typeof name !== "string")
    throw new JsonnetError(`a field name must be a string, got ${typeOf(name)}`, node.name.at);
  return name;
}

function addField(fields: Map<string, Field>, name: string, field: Field): void {
  if (fields.has(name)) throw new JsonnetError(`duplicate field name: ${JSON.stringify(name)}`);
  fields.set(name, field);
}

export function evaluateObject(object: ObjectNode, scope: Scope): JsonnetObject {
  const scopeOf = insideScopes(object, scope);
  const fields = new Map<string, Field>();
  for (const node of object.fields) {
    const name = nameOf(node, scope);
    if (name !== undefined) addField(fields, name, fieldOf(node, name, scopeOf));
  }
  const asserts = object.asserts.map(
    (one) => (self: JsonnetObject, level: number) => checkAssert(one, scopeOf(self, level)),
  );
  return new JsonnetObject([{ fields, asserts }]);
}

/** Every scope that the clauses give, in order. */
function* scopesOf(clauses: readonly Clause[], scope: Scope): Generator<Scope> {
  const [clause, ...rest] = clauses;
  if (!clause) {
    yield scope;
    return;
  }
  if (clause.kind === "if") {
    if (evaluateBoolean(clause.condition, scope)) yield* scopesOf(rest, scope);
    return;
  }
  const over = scope.run.evaluate(clause.over, scope);
  if (!(over instanceof JsonnetArray))
    throw new JsonnetError(`a comprehension goes over an array, got ${typeOf(over)}`, clause.over.at);
  for (const item of over.items) yield* scopesOf(rest, scopeWith(scope, new Map([[clause.name, item]])));
}

export function evaluateComprehension(
  { body, clauses }: NodeOf<"array-comprehension">,
  scope: Scope,
): JsonnetArray {
  const items: Thunk[] = [];
  for (const inner of scopesOf(clauses, scope)) items.push(new Thunk(() => inner.run.evaluate(body, inner)));
  return new JsonnetArray(items);
}

export function evaluateObjectComprehension(
  { object, clauses }: NodeOf<"object-comprehension">,
  scope: Scope,
): JsonnetObject {
  const fields = new Map<string, Field>();
  const [node] = object.fields;
  for (const inner of scopesOf(clauses, scope)) {
    const name = node && nameOf(node, inner);
    if (node && name !== undefined) addField(fields, name, fieldOf(node, name, insideScopes(object, inner)));
  }
  const layer: Layer = { fields, asserts: [] };
  return new JsonnetObject([layer]);
}
