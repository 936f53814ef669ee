import { nearestName } from "../operators/nearest-name.ts";
import { StarlarkError } from "../script-error.ts";
import type { Code, Parameter, Statement } from "../syntax/nodes.ts";
import { spend } from "../values/steps.ts";
import { elementsOf, isTrue, type Value } from "../values/value.ts";
import { compileAugmented, compileTarget } from "./compile-targets.ts";
import type { Compiling, Evaluate } from "./compiling.ts";
import { type Frame, ScriptFunction } from "./frame.ts";

/** How a statement ended. */
type Completion = "next" | "break" | "continue" | "return";

type Execute = (frame: Frame) => Completion;

/** A library's names; undefined where there is no such library. */
export type Load = (module: string) => ReadonlyMap<string, Value> | undefined;

export function compileStatements(
  statements: readonly Statement[],
  compiling: Compiling,
  load: Load,
): Execute {
  return compileBlock(statements, { ...compiling, load });
}

interface Context extends Compiling {
  load: Load;
}

function compileBlock(statements: readonly Statement[], context: Context): Execute {
  const compiled = statements.map((statement) => compileStatement(statement, context));
  return (frame) => {
    for (const execute of compiled) {
      spend(1);
      const completion = execute(frame);
      if (completion !== "next") return completion;
    }
    return "next";
  };
}

function compileStatement(statement: Statement, context: Context): Execute {
  switch (statement.kind) {
    case "expression":
      return doing(context.expression(statement.value));
    case "pass":
      return () => "next";
    case "break":
      return () => "break";
    case "continue":
      return () => "continue";
    case "return":
      return compileReturn(statement, context);
    case "assign":
      return compileAssign(statement, context);
    case "if":
      return compileIf(statement, context);
    case "for":
      return compileFor(statement, context);
    case "while":
      return compileWhile(statement, context);
    case "def": {
      const assign = compileTarget(statement.name, context);
      const make = context.function(statement.code);
      return doing((frame) => assign(frame, make(frame)));
    }
    case "load":
      return compileLoad(statement, context);
  }
}

function doing(action: (frame: Frame) => unknown): Execute {
  return (frame) => {
    action(frame);
    return "next";
  };
}

function compileReturn({ value }: Statement & { kind: "return" }, context: Context): Execute {
  const evaluate = value && context.expression(value);
  return (frame) => {
    frame.result = evaluate ? evaluate(frame) : null;
    return "return";
  };
}

function compileAssign(statement: Statement & { kind: "assign" }, context: Context): Execute {
  const { target, operator, value, at } = statement;
  if (operator !== "=")
    return doing(compileAugmented({ target, operator: operator.slice(0, -1), value, at }, context));
  const evaluate = context.expression(value);
  const assign = compileTarget(target, context);
  return doing((frame) => assign(frame, evaluate(frame)));
}

function compileIf({ condition, yes, no }: Statement & { kind: "if" }, context: Context): Execute {
  const holds = context.expression(condition);
  const then = compileBlock(yes, context);
  const otherwise = compileBlock(no, context);
  return (frame) => (isTrue(holds(frame)) ? then(frame) : otherwise(frame));
}

function compileFor({ at, target, source, body }: Statement & { kind: "for" }, context: Context): Execute {
  const values = context.expression(source);
  const assign = compileTarget(target, context);
  const block = compileBlock(body, context);
  return (frame) => {
    const iterated = values(frame);
    frame.at = at;
    for (const value of elementsOf(iterated)) {
      assign(frame, value);
      const completion = block(frame);
      if (completion === "break") break;
      if (completion === "return") return completion;
    }
    return "next";
  };
}

function compileWhile({ condition, body }: Statement & { kind: "while" }, context: Context): Execute {
  const holds = context.expression(condition);
  const block = compileBlock(body, context);
  return (frame) => {
    while (isTrue(holds(frame))) {
      spend(1);
      const completion = block(frame);
      if (completion === "break") break;
      if (completion === "return") return completion;
    }
    return "next";
  };
}

function compileLoad({ at, module, names }: Statement & { kind: "load" }, context: Context): Execute {
  const targets = names.map(({ from, to }) => ({ from: from.name, assign: compileTarget(to, context) }));
  return doing((frame) => {
    frame.at = at;
    const members = context.load(module) ?? new Map<string, Value>();
    for (const { from, assign } of targets) {
      const value = members.get(from);
      if (value === undefined) throw notInModule(from, module, [...members.keys()]);
      assign(frame, value);
    }
  });
}

function notInModule(name: string, module: string, known: string[]): StarlarkError {
  const near = nearestName(name, known.sort());
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  return new StarlarkError(`load: name ${name} not found in module ${module}${hint}`);
}

/** Fallbacks of parameters are evaluated where the function is defined, once. */
export function compileFunction(code: Code, compiling: Compiling): Evaluate {
  const plain = code.parameters.filter((parameter) => parameter.kind === "plain");
  const parameters = plain.map(({ name, fallback }) => ({
    name: name.name,
    evaluate: fallback && compiling.expression(fallback),
  }));
  const block = compileBlock(code.body, { ...compiling, load: noLoad });
  const shape = {
    name: code.name,
    positionalCount: positionalCount(code.parameters),
    hasRest: code.parameters.some(({ kind, name }) => kind === "*" && name !== undefined),
    hasNamedRest: code.parameters.some(({ kind }) => kind === "**"),
  };
  return (frame) => {
    const slots = parameters.map(({ name, evaluate }) => ({ name, fallback: evaluate?.(frame) }));
    return new ScriptFunction({ ...shape, parameters: slots }, block, { outer: frame, at: code.at });
  };
}

/** A load within a function is refused before anything runs. */
const noLoad: Load = () => undefined;

function positionalCount(parameters: readonly Parameter[]): number {
  const star = parameters.findIndex(({ kind }) => kind !== "plain");
  return star < 0 ? parameters.length : star;
}
