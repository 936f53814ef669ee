import type { Clause, Comprehension } from "../syntax/nodes.ts";
import { StarDict } from "../values/mappings.ts";
import { StarList } from "../values/sequences.ts";
import { elementsOf, isTrue, type Value } from "../values/value.ts";
import { compileTarget } from "./compile-targets.ts";
import type { Compiling, Evaluate } from "./compiling.ts";
import type { Frame } from "./frame.ts";

type Yield = (frame: Frame) => void;

export function compileComprehension({ body, clauses }: Comprehension, compiling: Compiling): Evaluate {
  if ("element" in body) {
    const element = compiling.expression(body.element);
    const run = compileClauses(clauses, compiling);
    return (frame) => {
      const items: Value[] = [];
      run(frame, (inner) => items.push(element(inner)));
      return new StarList(items);
    };
  }
  const { entry } = body;
  const key = compiling.expression(entry.key);
  const value = compiling.expression(entry.value);
  const run = compileClauses(clauses, compiling);
  return (frame) => {
    const dict = new StarDict();
    run(frame, (inner) => {
      const name = key(inner);
      const content = value(inner);
      inner.at = entry.at;
      dict.set(name, content);
    });
    return dict;
  };
}

function compileClauses(
  clauses: readonly Clause[],
  compiling: Compiling,
): (frame: Frame, give: Yield) => void {
  const [first, ...rest] = clauses;
  if (!first) return (frame, give) => give(frame);
  const inner = compileClauses(rest, compiling);
  if (first.kind === "if") {
    const condition = compiling.expression(first.condition);
    return (frame, give) => {
      if (isTrue(condition(frame))) inner(frame, give);
    };
  }
  const source = compiling.expression(first.source);
  const assign = compileTarget(first.target, compiling);
  const { at } = first;
  return (frame, give) => {
    const values = source(frame);
    frame.at = at;
    for (const value of elementsOf(values)) {
      assign(frame, value);
      inner(frame, give);
    }
  };
}
