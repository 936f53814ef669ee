import { getAttribute, setAttribute } from "../builtins/attributes.ts";
import { augmented } from "../operators/operators.ts";
import { StarlarkError } from "../script-error.ts";
import { type Expression, type Name, startOf } from "../syntax/nodes.ts";
import { isIterable, lengthOf, typeOf, type Value } from "../values/value.ts";
import { getIndex, setIndex } from "./access.ts";
import { type Compiling, compileName, frameAt } from "./compiling.ts";
import type { Frame } from "./frame.ts";

export type Assign = (frame: Frame, value: Value) => void;

/** What stands left of `=`, or between `for` and `in`. */
export function compileTarget(target: Expression, compiling: Compiling): Assign {
  switch (target.kind) {
    case "name":
      return compileNameTarget(target, compiling);
    case "parentheses":
      return compileTarget(target.inner, compiling);
    case "tuple":
    case "list":
      return compileUnpacking(target, compiling);
    case "attribute": {
      const of = compiling.expression(target.target);
      return (frame) => {
        const value = of(frame);
        frame.at = target.at;
        setAttribute(value, target.name);
      };
    }
    case "index": {
      const of = compiling.expression(target.target);
      const key = compiling.expression(target.index);
      return (frame, value) => {
        const into = of(frame);
        const where = key(frame);
        frame.at = target.at;
        setIndex(into, where, value);
      };
    }
    default:
      throw new StarlarkError(`can't assign to ${target.kind}`);
  }
}

function compileNameTarget(name: Name, { bindings }: Compiling): Assign {
  const binding = bindings.get(name);
  if (binding?.kind !== "variable") throw new StarlarkError(`can't assign to ${name.name}`);
  const { slot, distance } = binding;
  return (frame, value) => {
    frameAt(frame, distance).slots[slot] = value;
  };
}

function compileUnpacking(target: Expression & { kind: "tuple" | "list" }, compiling: Compiling): Assign {
  const parts = target.items.map((item) => compileTarget(item, compiling));
  const at = startOf(target);
  return (frame, value) => {
    frame.at = at;
    const values = unpack(value, parts.length);
    for (const [index, assign] of parts.entries()) assign(frame, values[index] ?? null);
  };
}

function unpack(value: Value, count: number): Value[] {
  if (!isIterable(value)) throw new StarlarkError(`got ${typeOf(value)} in sequence assignment`);
  const values: Value[] = [];
  for (const one of value.elements() ?? []) {
    if (values.length === count)
      throw new StarlarkError(`too many values to unpack (got ${lengthOf(value) ?? "more"}, want ${count})`);
    values.push(one);
  }
  if (values.length < count)
    throw new StarlarkError(`too few values to unpack (got ${values.length}, want ${count})`);
  return values;
}

/** `target operator= value`, the target's parts evaluated once. */
export function compileAugmented(
  {
    target,
    operator,
    value,
    at,
  }: { target: Expression; operator: string; value: Expression; at: Name["at"] },
  compiling: Compiling,
): (frame: Frame) => void {
  const by = compiling.expression(value);
  const apply = (frame: Frame, before: Value): Value => {
    const operand = by(frame);
    frame.at = at;
    return augmented(operator, before, operand);
  };
  switch (target.kind) {
    case "parentheses":
      return compileAugmented({ target: target.inner, operator, value, at }, compiling);
    case "name": {
      const get = compileName(target, compiling);
      const set = compileNameTarget(target, compiling);
      return (frame) => set(frame, apply(frame, get(frame)));
    }
    case "index": {
      const of = compiling.expression(target.target);
      const key = compiling.expression(target.index);
      return (frame) => {
        const into = of(frame);
        const where = key(frame);
        frame.at = target.at;
        const result = apply(frame, getIndex(into, where));
        setIndex(into, where, result);
      };
    }
    case "attribute": {
      const of = compiling.expression(target.target);
      return (frame) => {
        const into = of(frame);
        frame.at = target.at;
        apply(frame, getAttribute(into, target.name));
        setAttribute(into, target.name);
      };
    }
    default:
      throw new StarlarkError(`can't assign to ${target.kind}`);
  }
}
