import { type ASTNode, EvaluationError, ParseError, TypeError as TypeFault } from "@marcbachmann/cel-js";
import { originalName } from "./source.ts";

type Fault = ParseError | TypeFault | EvaluationError;

export function isFault(error: unknown): error is Fault {
  return error instanceof ParseError || error instanceof TypeFault || error instanceof EvaluationError;
}

const anyOperand =
  "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The text that a person wrote, and where in it a place of the text that was compiled is. */
export interface Written {
  readonly original: string;
  placeOf(index: number): number;
}

/** What is wrong with an expression, as cel-go prints it with the place. */
export function describeFault(error: Fault, compiled: string, written?: Written): string {
  const { at: found, text } = describe(error, compiled);
  const at = written?.placeOf(found) ?? found;
  const expression = written?.original ?? compiled;
  const before = expression.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  const column = at - lineStart;
  const shown = expression.slice(lineStart).split("\n")[0] ?? "";
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown}\n | ${".".repeat(column)}^`;
}

interface Described {
  at: number;
  text: string;
}

function describe(error: Fault, expression: string): Described {
  const at = error.range?.start ?? 0;
  const node = isNode(error.node) ? error.node : undefined;
  if (error instanceof ParseError) return syntax(error, expression, at);
  switch (error.code) {
    case "unknown_variable":
      return { at, text: undeclared(error.summary.replace("Unknown variable: ", "")) };
    case "no_such_key":
      return { at: at - 1, text: `undefined field '${error.summary.replace("No such key: ", "")}'` };
    case "invalid_logical_operand":
      return node === undefined ? { at, text: error.summary } : operand(node, expression);
    case "no_such_overload":
      return node === undefined ? { at, text: error.summary } : operator(node, expression);
    case "no_matching_overload":
      return node === undefined ? { at, text: error.summary } : call(node, error.summary, expression);
    default:
      return { at, text: error.summary };
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function syntax({ summary, code }: ParseError, expression: string, at: number): Described {
  if (/EOF/.test(summary))
    return { at: expression.length, text: `Syntax error: mismatched input '<EOF>' ${anyOperand}` };
  if (code === "unexpected_character")
    return { at, text: `Syntax error: token recognition error at: '${expression[at] ?? ""}'` };
  return { at, text: `Syntax error: ${summary}` };
}

function operator(node: ASTNode, expression: string): Described {
  const { op } = node;
  const operands: unknown[] = Array.isArray(node.args) ? node.args : [node.args];
  const types = `(${operands.map(typeNameOf).join(", ")})`;
  if (op === "!_" || op === "-_")
    return { at: node.start, text: `found no matching overload for '${op}' applied to '${types}'` };
  const [left] = operands;
  const at = isNode(left) ? expression.indexOf(op, left.end) : node.start;
  const name = op === "in" ? "@in" : `_${op}_`;
  return { at, text: `found no matching overload for '${name}' applied to '${types}'` };
}

/** The first operand of a logical operator that is no bool. */
function operand(node: ASTNode, expression: string): Described {
  const operands: unknown[] = Array.isArray(node.args) ? node.args : [node.args];
  const wrong = operands.find((one) => !["bool", "dyn"].includes(typeNameOf(one)));
  if (!isNode(wrong)) return { at: node.start, text: "expected type 'bool'" };
  return { at: placeOf(wrong, expression), text: `expected type 'bool' but found '${typeNameOf(wrong)}'` };
}

/** cel-go points at the dot of a selection and at the bracket of a call. */
function placeOf(node: ASTNode, expression: string): number {
  const receiver = node.op === "rcall" ? node.args[1] : node.op === "." ? node.args[0] : undefined;
  if (receiver === undefined) return node.start;
  return expression.indexOf(node.op === "." ? "." : "(", receiver.end);
}

function call(node: ASTNode, summary: string, expression: string): Described {
  const [, target = "", name = "", args = ""] = /'(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const receiver = node.op === "rcall" ? node.args[1] : undefined;
  const from = receiver?.end ?? node.start;
  const at = Math.max(expression.indexOf("(", from), 0);
  const own = originalName(name);
  if (!knownFunctions.has(own)) return { at, text: undeclared(own) };
  const applied =
    receiver === undefined ? `(${printType(args)})` : `${printType(target)}.(${printType(args)})`;
  return { at, text: `found no matching overload for '${own}' applied to '${applied}'` };
}

const knownFunctions = new Set<string>();

/** Names that some type has a function for. */
export function noteFunctions(names: Iterable<string>): void {
  for (const name of names) knownFunctions.add(originalName(name));
}

function typeNameOf(node: unknown): string {
  const type: unknown = isNode(node) && "checkedType" in node ? node.checkedType : undefined;
  return printType(String(type ?? "dyn"));
}

/** cel-go's names of types. */
export function printType(name: string): string {
  return name
    .replaceAll("google.protobuf.Timestamp", "timestamp")
    .replaceAll("google.protobuf.Duration", "duration")
    .replaceAll(/dyn<(.*?)>/g, "$1")
    .replaceAll("<", "(")
    .replaceAll(">", ")");
}

const runtimeTexts: Readonly<Record<string, (summary: string) => string>> = {
  no_such_key: (summary) => summary.replace("No such key", "no such key"),
  index_out_of_bounds: (summary) => `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ""}`,
  modulo_by_zero: () => "modulus by zero",
  no_such_overload: () => "no such overload",
  no_matching_overload: () => "no such overload",
  numeric_overflow: () => "integer overflow",
};

/** Why an evaluation failed, in cel-go's words. */
export function describeFailure(error: unknown): string {
  if (!isFault(error)) return error instanceof Error ? error.message : String(error);
  return runtimeTexts[error.code]?.(error.summary) ?? error.summary;
}
