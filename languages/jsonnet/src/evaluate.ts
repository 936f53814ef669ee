import { evaluateComprehension, evaluateObject, evaluateObjectComprehension } from "./evaluate-object.ts";
import { JsonnetError, type Location } from "./jsonnet-error.ts";
import { applyBinary, applyUnary, toText } from "./operators.ts";
import { bindAll, checkAssert, evaluateBoolean, lookUp, type Scope, scopeWith } from "./scope.ts";
import { sliceValue } from "./slice.ts";
import type { Node, NodeOf } from "./syntax.ts";
import { JsonnetArray, JsonnetFunction, JsonnetObject, Thunk, typeOf, type Value } from "./values.ts";

export function evaluate(node: Node, scope: Scope): Value {
  const { run } = scope;
  run.depth += 1;
  try {
    if (run.depth > run.maxDepth) throw new JsonnetError("max stack frames exceeded", node.at);
    return evaluateNode(node, scope);
  } catch (error) {
    if (error instanceof JsonnetError && !error.location) throw new JsonnetError(error.problem, node.at);
    if (error instanceof RangeError && /call stack/.test(error.message))
      throw new JsonnetError("max stack frames exceeded", node.at);
    throw error;
  } finally {
    run.depth -= 1;
  }
}

function evaluateNode(node: Node, scope: Scope): Value {
  switch (node.type) {
    case "null":
      return null;
    case "boolean":
    case "number":
    case "string":
      return node.value;
    case "array":
      return new JsonnetArray(node.items.map((item) => new Thunk(() => evaluate(item, scope))));
    case "object":
      return evaluateObject(node.object, scope);
    case "object-comprehension":
      return evaluateObjectComprehension(node, scope);
    case "array-comprehension":
      return evaluateComprehension(node, scope);
    case "variable":
      return variable(node, scope);
    case "call":
      return callNode(node, scope);
    case "local":
      return evaluate(node.body, bindAll(node.binds, scope));
    case "if":
      return conditional(node, scope);
    case "function":
      return closure(node, scope);
    case "binary":
      return binary(node, scope);
    case "unary":
      return applyUnary(node.operator, evaluate(node.operand, scope));
    case "assert":
      checkAssert(node, scope);
      return evaluate(node.body, scope);
    case "error":
      throw new JsonnetError(toText(evaluate(node.message, scope)), node.at);
    case "import":
    case "importstr":
    case "importbin":
      return scope.run.importFile(node.path, node.type, node.at.file);
    default:
      return evaluateAccess(node, scope);
  }
}

type AccessNode =
  | NodeOf<"index" | "slice">
  | NodeOf<"super-index">
  | NodeOf<"in-super">
  | NodeOf<"self" | "dollar">;

function evaluateAccess(node: AccessNode, scope: Scope): Value {
  switch (node.type) {
    case "self":
      return selfOf(scope, node.at);
    case "dollar":
      if (!scope.dollar) throw new JsonnetError("no top-level object for $", node.at);
      return scope.dollar;
    case "index":
      return indexValue(evaluate(node.target, scope), evaluate(node.index, scope));
    case "slice": {
      const part = (one: Node | undefined): Value => (one ? evaluate(one, scope) : null);
      return sliceValue(evaluate(node.target, scope), [part(node.from), part(node.to), part(node.step)]);
    }
    case "super-index": {
      const name = fieldName(evaluate(node.index, scope));
      const value = selfOf(scope, node.at).getBelow(name, scope.level);
      if (value === undefined) throw new JsonnetError(`field does not exist: ${name}`, node.at);
      return value;
    }
    case "in-super":
      return selfOf(scope, node.at).has(fieldName(evaluate(node.index, scope)), scope.level);
  }
}

function selfOf(scope: Scope, at: Location): JsonnetObject {
  if (!scope.self) throw new JsonnetError("can't use self or super outside of an object", at);
  return scope.self;
}

function fieldName(value: Value): string {
  if (typeof value !== "string")
    throw new JsonnetError(`a field name must be a string, got ${typeOf(value)}`);
  return value;
}

function variable({ name, at }: NodeOf<"variable">, scope: Scope): Value {
  const found = lookUp(scope, name);
  if (!found) throw new JsonnetError(`unknown variable: ${name}`, at);
  return found.force();
}

function conditional(node: NodeOf<"if">, scope: Scope): Value {
  if (evaluateBoolean(node.condition, scope)) return evaluate(node.then, scope);
  return node.otherwise ? evaluate(node.otherwise, scope) : null;
}

function binary(node: NodeOf<"binary">, scope: Scope): Value {
  if (node.operator === "&&") return evaluateBoolean(node.left, scope) && evaluateBoolean(node.right, scope);
  if (node.operator === "||") return evaluateBoolean(node.left, scope) || evaluateBoolean(node.right, scope);
  return applyBinary(node.operator, evaluate(node.left, scope), evaluate(node.right, scope));
}

export function indexValue(target: Value, index: Value): Value {
  if (target instanceof JsonnetObject) {
    const value = target.get(fieldName(index));
    if (value === undefined) throw new JsonnetError(`field does not exist: ${fieldName(index)}`);
    return value;
  }
  if (!(target instanceof JsonnetArray) && typeof target !== "string")
    throw new JsonnetError(`can only index objects, strings and arrays, got ${typeOf(target)}`);
  if (typeof index !== "number" || !Number.isInteger(index))
    throw new JsonnetError(`the index of ${typeOf(target)} must be a whole number, got ${toText(index)}`);
  const item = target instanceof JsonnetArray ? target.items[index]?.force() : Array.from(target)[index];
  const length = target instanceof JsonnetArray ? target.items.length : Array.from(target).length;
  if (item === undefined) throw new JsonnetError(`index ${index} out of bounds, not within [0, ${length})`);
  return item;
}

function closure(node: NodeOf<"function">, scope: Scope): JsonnetFunction {
  const params = node.params.map(({ name, fallback }) => ({ name, hasDefault: fallback !== undefined }));
  return new JsonnetFunction(params, (given) => {
    const names = new Map<string, Thunk>();
    const inner = scopeWith(scope, names);
    node.params.forEach(({ name, fallback }, at) => {
      const value = given[at] ?? (fallback && new Thunk(() => evaluate(fallback, inner)));
      if (!value) throw new JsonnetError(`missing argument: ${name}`);
      names.set(name, value);
    });
    return evaluate(node.body, inner);
  });
}

function callNode(node: NodeOf<"call">, scope: Scope): Value {
  const target = evaluate(node.target, scope);
  if (!(target instanceof JsonnetFunction))
    throw new JsonnetError(`only functions can be called, got ${typeOf(target)}`, node.at);
  const delayed = (value: Node): Thunk => {
    const thunk = new Thunk(() => evaluate(value, scope));
    if (node.tailstrict) thunk.force();
    return thunk;
  };
  const { params } = target;
  if (node.positional.length > params.length)
    throw new JsonnetError(
      `too many arguments: ${node.positional.length}, the function takes ${params.length}`,
      node.at,
    );
  const given: (Thunk | undefined)[] = params.map(
    (_, at) => node.positional[at] && delayed(node.positional[at]),
  );
  for (const { name, value } of node.named) {
    const place = params.findIndex((param) => param.name === name);
    if (place < 0) throw new JsonnetError(`function has no parameter ${name}`, node.at);
    if (given[place]) throw new JsonnetError(`argument ${name} is given twice`, node.at);
    given[place] = delayed(value);
  }
  const missing = params.find(({ hasDefault }, at) => !given[at] && !hasDefault);
  if (missing) throw new JsonnetError(`missing argument: ${missing.name}`, node.at);
  return target.invoke(given, node.at);
}
