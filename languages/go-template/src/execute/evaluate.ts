import { quoteGo } from "@capstan/formats";
import type {
  ChainNode,
  CommandNode,
  FieldNode,
  IdentifierNode,
  NumberNode,
  Operand,
  PipeNode,
  VariableNode,
} from "../syntax/nodes.ts";
import { printNode } from "../syntax/print-node.ts";
import { TemplateError } from "../template-error.ts";
import { GoInt, GoList, GoMap, GoStruct, isTrue, NilMap, typeName, type Value } from "../values/value.ts";
import { canBeNil, checkArgument, goType } from "./check-argument.ts";
import type { GoFunction, ParameterType } from "./functions.ts";
import { methodOf } from "./methods.ts";
import { playCounted } from "./play-counted.ts";
import { failAt, type Run, step } from "./run.ts";

/** That nothing comes from the stage before. */
const none = Symbol("no value from the stage before");
type Piped = Value | typeof none;

/** What a pipeline gives (Go, text/template/exec.go evalPipeline); its variables are set. */
export function evaluatePipe(run: Run, dot: Value, pipe: PipeNode): Value {
  step(run, pipe);
  let piped: Piped = none;
  for (const command of pipe.commands) {
    const value: Value = evaluateCommand({ run, dot, args: command.rest, piped }, command);
    piped = value ?? undefined; // what an interface holds: nil is nothing
  }
  const value = piped === none ? undefined : piped;
  const { variables } = run.frame;
  for (const name of pipe.variables) {
    if (pipe.isAssignment) setVariable(run, name, value);
    else variables.push({ name, value });
  }
  return value;
}

/** Of the variable that the template sees by that name. */
export function setVariable(run: Run, name: string, value: Value): void {
  const variable = run.frame.variables.findLast((one) => one.name === name);
  if (!variable) throw new TemplateError(`template: ${run.source}: undefined variable: ${name}`);
  variable.value = value;
}

interface Call {
  readonly run: Run;
  readonly dot: Value;
  readonly args: readonly Operand[];
  readonly piped: Piped;
}

function evaluateCommand(call: Call, command: CommandNode): Value {
  const { run, dot, args, piped } = call;
  const { first } = command;
  step(run, first);
  switch (first.kind) {
    case "field":
    case "chain":
    case "variable":
      return evaluatePath(call, first);
    case "identifier":
      return evaluateFunction(call, first, command);
    default:
      break;
  }
  if (args.length > 0 || piped !== none)
    throw failAt(run, first, `can't give argument to non-function ${printNode(first)}`);
  if (first.kind === "nil") throw failAt(run, first, "nil is not a command");
  return evaluatePlain(run, dot, first);
}

/** A literal, dot, or what stands in parentheses. */
function evaluatePlain(
  run: Run,
  dot: Value,
  node: Exclude<Operand, FieldNode | ChainNode | VariableNode | IdentifierNode>,
): Value {
  switch (node.kind) {
    case "pipe":
      return evaluatePipe(run, dot, node);
    case "dot":
      return dot;
    case "number":
      return idealConstant(run, node);
    case "nil":
      throw failAt(run, node, "evalEmptyInterface: nil (can't happen)");
    default:
      return node.value;
  }
}

/** A number where no type is asked for: how it is written tells. */
function idealConstant(run: Run, node: NumberNode): Value {
  const isHex = /^0[xX]/.test(node.text) && !/[pP]/.test(node.text);
  if (node.float !== undefined && !isHex && !node.text.startsWith("'") && /[.eEpP]/.test(node.text))
    return node.float;
  if (node.int === undefined) throw failAt(run, node, `${node.text} overflows int`);
  return new GoInt(node.int);
}

function evaluatePath(call: Call, node: FieldNode | ChainNode | VariableNode): Value {
  const { run, dot, args, piped } = call;
  let value: Value;
  if (node.kind === "field") value = dot;
  else if (node.kind === "chain") {
    const alone: Call = { run, dot, args: [], piped: none };
    value =
      node.head.kind === "pipe"
        ? evaluatePipe(run, dot, node.head)
        : evaluateFunction(alone, node.head, node.head);
  } else {
    value = run.frame.variables.findLast(({ name }) => name === node.name)?.value;
    if (node.path.length === 0 && (args.length > 0 || piped !== none))
      throw failAt(run, node, `can't give argument to non-function ${printNode(node)}`);
  }
  for (const [index, name] of node.path.entries()) {
    step(run, node);
    const isLast = index === node.path.length - 1;
    value = evaluateField(isLast ? call : { run, dot, args: [], piped: none }, node, {
      name,
      receiver: value,
    });
  }
  return value;
}

interface Step {
  readonly name: string;
  readonly receiver: Value;
}

function evaluateField(call: Call, node: Operand, { name, receiver }: Step): Value {
  const { run, args, piped } = call;
  if (receiver === undefined) {
    if (run.missingKey === "error") throw failAt(run, node, `nil data; no entry for key ${quoteGo(name)}`);
    return undefined;
  }
  if (receiver === null) throw failAt(run, node, `nil pointer evaluating interface {}.${name}`);
  const method = methodOf(receiver, name);
  if (method) return callFunction(call, node, { name, ...method });
  const hasArguments = args.length > 0 || piped !== none;
  if (receiver instanceof GoMap) {
    if (hasArguments) throw failAt(run, node, `${name} is not a method but has arguments`);
    if (receiver.entries.has(name)) return receiver.entries.get(name);
    if (run.missingKey === "error") throw failAt(run, node, `map has no entry for key ${quoteGo(name)}`);
    if (run.missingKey === "default") return undefined;
    return receiver.element === "string" ? "" : null;
  }
  if (receiver instanceof GoStruct && !hasArguments && receiver.fields.has(name))
    return receiver.fields.get(name);
  throw failAt(run, node, `can't evaluate field ${name} in type ${typeName(receiver)}`);
}

function evaluateFunction(call: Call, node: IdentifierNode, whole: Operand | CommandNode): Value {
  const { run } = call;
  const found = Object.hasOwn(run.functions, node.name) ? run.functions[node.name] : undefined;
  if (!found) throw failAt(run, node, `${quoteGo(node.name)} is not a defined function`);
  if (node.name === "and" || node.name === "or") return shortCircuit(call, node);
  return callFunction(call, whole, { name: node.name, ...found });
}

/** and, or: no more is evaluated than is needed. */
function shortCircuit({ run, dot, args, piped }: Call, node: IdentifierNode): Value {
  if (args.length === 0 && piped === none)
    throw failAt(run, node, `wrong number of args for ${node.name}: want at least 1 got 0`);
  let value: Value;
  for (const arg of args) {
    value = evaluateArgument({ run, dot }, arg, "value");
    if (isTrue(value) === (node.name === "or")) return value;
  }
  return piped === none ? value : piped;
}

function callFunction(
  call: Call,
  node: Operand | CommandNode,
  { name, parameters, rest, run: play }: GoFunction & { readonly name: string },
): Value {
  const { run, dot, args, piped } = call;
  const given = args.length + (piped === none ? 0 : 1);
  const wanted = parameters.length;
  if (rest === undefined ? given !== wanted : given < wanted) {
    const least = rest === undefined ? "" : "at least ";
    const got = rest === undefined ? given : args.length;
    throw failAt(run, node, `wrong number of args for ${name}: want ${least}${wanted} got ${got}`);
  }
  const typeAt = (index: number): ParameterType => parameters[index] ?? rest ?? "any";
  const values = args.map((arg, index) => evaluateArgument({ run, dot }, arg, typeAt(index)));
  if (piped !== none) values.push(checked(run, node, { value: piped, type: typeAt(given - 1) }));
  try {
    return playCounted(run, values, play);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TemplateError) throw error;
    throw failAt(run, node, `error calling ${name}: ${error.message}`);
  }
}

interface Argument {
  readonly value: Value;
  readonly type: ParameterType;
}

function checked(run: Run, node: Operand | CommandNode, { value, type }: Argument): Value {
  const found = checkArgument(value, type);
  if ("problem" in found) throw failAt(run, node, found.problem);
  return found.value;
}

function evaluateArgument(
  { run, dot }: Pick<Call, "run" | "dot">,
  node: Operand,
  type: ParameterType,
): Value {
  const alone: Call = { run, dot, args: [], piped: none };
  step(run, node);
  switch (node.kind) {
    case "dot":
      return checked(run, node, { value: dot, type });
    case "nil":
      if (!canBeNil(type)) throw failAt(run, node, `cannot assign nil to ${goType[type]}`);
      return type === "map" ? new NilMap() : type === "any" ? null : undefined;
    case "field":
    case "variable":
    case "chain":
      return checked(run, node, { value: evaluatePath(alone, node), type });
    case "pipe":
      return checked(run, node, { value: evaluatePipe(run, dot, node), type });
    case "identifier":
      return checked(run, node, { value: evaluateFunction(alone, node, node), type });
    default:
      return type === "any" || type === "value" ? evaluatePlain(run, dot, node) : literalOf(run, node, type);
  }
}

type Literal = Extract<Operand, { kind: "bool" | "string" | "number" }>;

/** A literal where a type is asked for. */
function literalOf(run: Run, node: Literal, type: ParameterType): Value {
  if (type === "bool" && node.kind === "bool") return node.value;
  if (type === "string" && node.kind === "string") return node.value;
  if (type === "int" && node.kind === "number" && node.int !== undefined) return Number(node.int);
  if (type === "float64" && node.kind === "number" && node.float !== undefined) return node.float;
  const shown = printNode(node);
  const names: Partial<Record<ParameterType, string>> = {
    bool: "bool",
    string: "string",
    int: "integer",
    float64: "float",
  };
  const wanted = names[type];
  throw failAt(
    run,
    node,
    wanted ? `expected ${wanted}; found ${shown}` : `can't handle ${shown} for arg of type ${goType[type]}`,
  );
}

/** What a range goes over: pairs of key and element; nothing where it cannot. */
export function elementsOf(run: Run, value: Value): Iterable<readonly [Value, Value]> | undefined {
  if (value === undefined || value === null) return [];
  if (value instanceof GoList) return value.items.entries().map(([index, one]) => [new GoInt(index), one]);
  if (value instanceof GoMap)
    return value.sortedKeys(run.spend).map((key) => [key, value.entries.get(key)] as const);
  return value instanceof GoInt ? countTo(value) : undefined;
}

function* countTo({ value, type }: GoInt): Generator<readonly [Value, Value]> {
  for (let index = 0n; index < value; index += 1n) yield [undefined, new GoInt(index, type)];
}
