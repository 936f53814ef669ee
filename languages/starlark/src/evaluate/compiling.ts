import { StarlarkError } from "../script-error.ts";
import type { Code, Expression, Name } from "../syntax/nodes.ts";
import type { Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";
import type { Binding } from "./resolve-names.ts";

export type Evaluate = (frame: Frame) => Value;

/** What compiling a part of a script needs to know besides the part. */
export interface Compiling {
  readonly bindings: ReadonlyMap<Name, Binding>;
  readonly predeclared: ReadonlyMap<string, Value>;
  readonly expression: (expression: Expression) => Evaluate;
  /** An expression that makes the function's value. */
  readonly function: (code: Code) => Evaluate;
}

export function compileName(name: Name, { bindings, predeclared }: Compiling): Evaluate {
  const binding = bindings.get(name);
  if (binding?.kind !== "variable") {
    const value = predeclared.get(name.name) ?? null;
    return () => value;
  }
  const { slot, distance, isGlobal } = binding;
  const kind = isGlobal ? "global" : "local";
  return (frame) => {
    const value = frameAt(frame, distance).slots[slot];
    if (value !== undefined) return value;
    frame.at = name.at;
    throw new StarlarkError(`${kind} variable ${name.name} referenced before assignment`);
  };
}

/** The frame that lies so many functions further out. */
export function frameAt(frame: Frame, distance: number): Frame {
  let found = frame;
  for (let i = 0; i < distance; i++) found = found.outer ?? found;
  return found;
}
