import { quoteGo } from "@capstan/formats";
import type { BranchNode, CallNode, Node } from "../syntax/nodes.ts";
import { printValue } from "../values/print-value.ts";
import { GoInt, isTrue, type Value } from "../values/value.ts";
import { elementsOf, evaluatePipe, setVariable } from "./evaluate.ts";
import { failAt, type Run, step } from "./run.ts";

/** How a list of nodes ended: a range goes on, or not. */
type Outcome = "done" | "break" | "continue";

/** Plays the template of that name; what it prints is added to `run.out` (Go, text/template/exec.go). */
export function executeTemplate(run: Run, name: string, dot: Value): void {
  const nodes = run.definitions.get(name) ?? [];
  const outer = run.frame;
  run.frame = { name, variables: [{ name: "$", value: dot }] };
  executeAll(run, dot, nodes);
  run.frame = outer;
}

function executeAll(run: Run, dot: Value, nodes: readonly Node[]): Outcome {
  for (const node of nodes) {
    const outcome = execute(run, dot, node);
    if (outcome !== "done") return outcome;
  }
  return "done";
}

function execute(run: Run, dot: Value, node: Node): Outcome {
  step(run, node);
  switch (node.kind) {
    case "text":
      write(run, node.text);
      return "done";
    case "action": {
      const value = evaluatePipe(run, dot, node.pipe);
      if (node.pipe.variables.length === 0) writeValue(run, value);
      return "done";
    }
    case "break":
    case "continue":
      return node.kind;
    case "range":
      return executeRange(run, dot, node);
    case "template":
      executeCall(run, dot, node);
      return "done";
    default:
      return executeBranch(run, dot, node);
  }
}

function write(run: Run, text: string): void {
  run.spend(text.length);
  run.out.push(text);
}

function writeValue(run: Run, value: Value): void {
  write(run, value === undefined ? "<no value>" : printValue(value, run.spend));
}

function executeBranch(run: Run, dot: Value, { kind, pipe, body, otherwise = [] }: BranchNode): Outcome {
  const { variables } = run.frame;
  const outer = variables.length;
  const value = evaluatePipe(run, dot, pipe);
  const isMet = isTrue(value);
  const outcome = executeAll(run, isMet && kind === "with" ? value : dot, isMet ? body : otherwise);
  variables.length = outer;
  return outcome;
}

function executeRange(run: Run, dot: Value, node: BranchNode): Outcome {
  const { variables } = run.frame;
  const outer = variables.length;
  const value = evaluatePipe(run, dot, node.pipe);
  if (value instanceof GoInt && node.pipe.variables.length > 1)
    throw failAt(
      run,
      node,
      `can't use ${printValue(value, run.spend)} to iterate over more than one variable`,
    );
  const elements = elementsOf(run, value);
  if (!elements) throw failAt(run, node, `range can't iterate over ${printValue(value, run.spend)}`);
  const inner = variables.length;
  let outcome: Outcome = "done";
  let isEmpty = true;
  for (const [key, element] of elements) {
    isEmpty = false;
    step(run, node);
    bind(run, node, [key, element]);
    outcome = executeAll(run, element, node.body);
    variables.length = inner;
    if (outcome === "break") break;
  }
  if (isEmpty) outcome = executeAll(run, dot, node.otherwise ?? []);
  variables.length = outer;
  return isEmpty ? outcome : "done";
}

/** One variable is the element; of two the first is the index or key. */
function bind(run: Run, { pipe }: BranchNode, [key, element]: readonly [Value, Value]): void {
  const [first, second] = pipe.variables;
  if (first === undefined) return;
  const { variables } = run.frame;
  const pairs =
    second === undefined ? [[first, element] as const] : [[first, key] as const, [second, element] as const];
  for (const [index, [name, value]] of pairs.entries()) {
    const declared = variables[variables.length - pairs.length + index];
    if (pipe.isAssignment || !declared) setVariable(run, name, value);
    else declared.value = value;
  }
}

function executeCall(run: Run, dot: Value, node: CallNode): void {
  if (!run.definitions.has(node.name)) throw failAt(run, node, `template ${quoteGo(node.name)} not defined`);
  if (run.depth >= run.limits.depth)
    throw failAt(run, node, `exceeded maximum template depth (${run.limits.depth})`);
  const inner = node.pipe ? evaluatePipe(run, dot, node.pipe) : undefined;
  run.depth += 1;
  executeTemplate(run, node.name, inner);
  run.depth -= 1;
}
