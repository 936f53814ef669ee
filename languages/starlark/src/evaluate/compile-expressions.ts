import { getAttribute } from "../builtins/attributes.ts";
import { binary, unary } from "../operators/operators.ts";
import { StarlarkError } from "../script-error.ts";
import type { Expression, Position, Slice } from "../syntax/nodes.ts";
import { StarBytes } from "../values/bytes.ts";
import { StarDict } from "../values/mappings.ts";
import { repr } from "../values/print-value.ts";
import { StarList, StarTuple } from "../values/sequences.ts";
import { isTrue, type Value } from "../values/value.ts";
import { getIndex, getSlice } from "./access.ts";
import { compileCall } from "./compile-call.ts";
import { compileComprehension } from "./compile-comprehension.ts";
import { type Compiling, compileName, type Evaluate } from "./compiling.ts";
import type { Frame } from "./frame.ts";

/** An expression as a function of the frame in which it is evaluated. */
export function compileExpression(expression: Expression, compiling: Compiling): Evaluate {
  switch (expression.kind) {
    case "name":
      return compileName(expression, compiling);
    case "literal":
      return compileLiteral(expression);
    case "parentheses":
      return compileExpression(expression.inner, compiling);
    case "binary":
      return compileBinary(expression, compiling);
    case "unary": {
      const operand = compileExpression(expression.operand, compiling);
      const { operator, at } = expression;
      return placed(
        at,
        (frame) => operand(frame),
        (value) => unary(operator, value),
      );
    }
    case "logic":
      return compileLogic(expression, compiling);
    case "choice": {
      const [condition, yes, no] = compileAll(
        [expression.condition, expression.yes, expression.no],
        compiling,
      );
      return (frame) => (isTrue(run(condition, frame)) ? run(yes, frame) : run(no, frame));
    }
    case "list": {
      const items = compileAll(expression.items, compiling);
      return (frame) => new StarList(items.map((item) => item(frame)));
    }
    case "tuple": {
      const items = compileAll(expression.items, compiling);
      return (frame) => new StarTuple(items.map((item) => item(frame)));
    }
    case "dict":
      return compileDict(expression, compiling);
    case "attribute": {
      const target = compileExpression(expression.target, compiling);
      const { name, at } = expression;
      return placed(at, target, (value) => getAttribute(value, name));
    }
    case "index":
      return compileIndex(expression, compiling);
    case "slice":
      return compileSlice(expression, compiling);
    case "call":
      return compileCall(expression, compiling);
    case "comprehension":
      return compileComprehension(expression, compiling);
    case "lambda":
      return compiling.function(expression.code);
  }
}

export const compileAll = (list: readonly Expression[], compiling: Compiling): Evaluate[] =>
  list.map((one) => compileExpression(one, compiling));

const run = (evaluate: Evaluate | undefined, frame: Frame): Value => (evaluate ? evaluate(frame) : null);

/** Notes the place after the operand is known, so that an error tells of the operation. */
function placed(at: Position, operand: Evaluate, apply: (value: Value) => Value): Evaluate {
  return (frame) => {
    const value = operand(frame);
    frame.at = at;
    return apply(value);
  };
}

function compileLiteral({ value, isBytes }: Expression & { kind: "literal" }): Evaluate {
  const literal = isBytes && typeof value === "string" ? new StarBytes(value) : value;
  return () => literal;
}

function compileBinary(
  { operator, at, left, right }: Expression & { kind: "binary" },
  compiling: Compiling,
): Evaluate {
  const one = compileExpression(left, compiling);
  const other = compileExpression(right, compiling);
  return (frame) => {
    const first = one(frame);
    const second = other(frame);
    frame.at = at;
    return binary(operator, first, second);
  };
}

function compileLogic(
  { operator, left, right }: Expression & { kind: "logic" },
  compiling: Compiling,
): Evaluate {
  const one = compileExpression(left, compiling);
  const other = compileExpression(right, compiling);
  const isAnd = operator === "and";
  return (frame) => {
    const first = one(frame);
    return isTrue(first) === isAnd ? other(frame) : first;
  };
}

function compileDict({ entries }: Expression & { kind: "dict" }, compiling: Compiling): Evaluate {
  const compiled = entries.map(({ at, key, value }) => ({
    at,
    key: compileExpression(key, compiling),
    value: compileExpression(value, compiling),
  }));
  return (frame) => {
    const dict = new StarDict();
    for (const { at, key, value } of compiled) {
      const name = key(frame);
      const content = value(frame);
      frame.at = at;
      if (dict.get(name) !== undefined) throw new StarlarkError(`duplicate key: ${repr(name)}`);
      dict.set(name, content);
    }
    return dict;
  };
}

function compileIndex({ at, target, index }: Expression & { kind: "index" }, compiling: Compiling): Evaluate {
  const of = compileExpression(target, compiling);
  const key = compileExpression(index, compiling);
  return (frame) => {
    const value = of(frame);
    const where = key(frame);
    frame.at = at;
    return getIndex(value, where);
  };
}

function compileSlice({ at, target, from, to, step }: Slice, compiling: Compiling): Evaluate {
  const of = compileExpression(target, compiling);
  const [start, end, by] = [from, to, step].map((part) => part && compileExpression(part, compiling));
  return (frame) => {
    const value = of(frame);
    const bounds = { from: run(start, frame), to: run(end, frame), step: run(by, frame) };
    frame.at = at;
    return getSlice(value, bounds);
  };
}
