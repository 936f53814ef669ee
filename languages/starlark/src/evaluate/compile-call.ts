import { StarlarkError } from "../script-error.ts";
import type { Argument, Call } from "../syntax/nodes.ts";
import type { NamedArgument } from "../values/callables.ts";
import { StarDict } from "../values/mappings.ts";
import { isIterable, typeOf, type Value } from "../values/value.ts";
import type { Compiling, Evaluate } from "./compiling.ts";
import type { Frame } from "./frame.ts";

type Collect = (frame: Frame, positional: Value[], named: NamedArgument[]) => void;

export function compileCall({ at, target, arguments: list }: Call, compiling: Compiling): Evaluate {
  const callee = compiling.expression(target);
  const collectors = list.map((argument) => compileArgument(argument, compiling));
  return (frame) => {
    const called = callee(frame);
    const positional: Value[] = [];
    const named: NamedArgument[] = [];
    for (const collect of collectors) collect(frame, positional, named);
    frame.at = at;
    return frame.run.call(called, positional, named);
  };
}

function compileArgument(argument: Argument, compiling: Compiling): Collect {
  const evaluate = compiling.expression(argument.value);
  switch (argument.kind) {
    case "positional":
      return (frame, positional) => {
        positional.push(evaluate(frame));
      };
    case "named": {
      const { name } = argument.name;
      return (frame, _positional, named) => {
        named.push([name, evaluate(frame)]);
      };
    }
    case "*":
      return (frame, positional) => {
        const values = evaluate(frame);
        frame.at = argument.at;
        if (!isIterable(values))
          throw new StarlarkError(`argument after * must be iterable, not ${typeOf(values)}`);
        for (const value of values.elements() ?? []) positional.push(value);
      };
    case "**":
      return (frame, _positional, named) => {
        const values = evaluate(frame);
        frame.at = argument.at;
        named.push(...namedFrom(values));
      };
  }
}

function namedFrom(values: Value): NamedArgument[] {
  if (!(values instanceof StarDict))
    throw new StarlarkError(`argument after ** must be a mapping, not ${typeOf(values)}`);
  return values.entries().map(([name, value]) => {
    if (typeof name !== "string") throw new StarlarkError(`keywords must be strings, not ${typeOf(name)}`);
    return [name, value];
  });
}
