import { quoteGo } from "@capstan/formats";
import type { CommandNode, Node, Operand } from "../syntax/nodes.ts";
import type { Definitions } from "../syntax/parse.ts";
import { printNode } from "../syntax/print-node.ts";
import { TemplateError } from "../template-error.ts";
import type { Value } from "../values/value.ts";
import type { Caller, GoFunctions } from "./functions.ts";

/** What becomes of a key that a map lacks: "<no value>", the zero of the map's elements (nil), or an error. */
export type MissingKey = "default" | "zero" | "error";

export interface Limits {
  /** Nodes visited; default 1,000,000. */
  readonly steps: number;
  /** Characters and items made, of the output and by functions; default 4,194,304. */
  readonly size: number;
  /** Templates within templates; default 200 (Go: 100,000). */
  readonly depth: number;
}

interface Variable {
  readonly name: string;
  value: Value;
}

/** One play of a template. */
export interface Run extends Caller {
  readonly text: string;
  /** The name the whole was read under, for places. */
  readonly source: string;
  readonly definitions: Definitions;
  readonly functions: GoFunctions;
  readonly missingKey: MissingKey;
  readonly limits: Limits;
  readonly out: string[];
  /** Of the template that is being played. */
  frame: Frame;
  steps: number;
  /** Of the limit of size. */
  spent: number;
  /** Lists and maps that were counted. */
  readonly counted: WeakSet<object>;
  depth: number;
}

export interface Frame {
  readonly name: string;
  readonly variables: Variable[];
}

/** Go's ExecError: where, which template, at what. */
export function failAt(run: Run, node: Node | Operand | CommandNode, message: string): TemplateError {
  const before = run.text.slice(0, node.at);
  const line = before.split("\n");
  const column = Buffer.byteLength(line.at(-1) ?? "");
  const where = `template: ${run.source}:${line.length}:${column}`;
  return new TemplateError(
    `${where}: executing ${quoteGo(run.frame.name)} at <${printNode(node)}>: ${message}`,
  );
}

/** Counts a visit; a template that loops or doubles ends here. */
export function step(run: Run, node: Node | Operand | CommandNode): void {
  run.steps += 1;
  if (run.steps > run.limits.steps)
    throw failAt(run, node, `the template takes more than ${run.limits.steps} steps`);
}
