import { type ASTNode, type Environment, Optional, TypeError as TypeFault } from "@marcbachmann/cel-js";

/** The parts of the library that a macro is handed. */
interface Checker {
  check(node: ASTNode, context: unknown): unknown;
  getType(name: string): unknown;
}

interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
  debugType(value: unknown): { fieldLazy(...args: readonly unknown[]): unknown };
}

interface Selection {
  readonly node: ASTNode;
  readonly operand: ASTNode;
  readonly field: unknown;
}

/** The name of the macro that stands for has(): as long, so that every place in an expression stays (source.ts). */
export const hasMacro = "got";

/**
 * has(e.f) for any operand e (cel-spec, "Field Selection"): the library's own takes a chain of names only, and
 * Gateway API asks `has(self.matches[0].path)`.
 */
export function registerHas(environment: Environment): void {
  environment.registerFunction(`${hasMacro}(ast): bool`, ({ args }: { args: readonly ASTNode[] }) => {
    const selection = selectionOf(args[0]);
    return {
      async: false,
      typeCheck(checker: Checker, _macro: unknown, context: unknown) {
        const { node, operand } = selection ?? refuse(args[0]);
        checker.check(operand, context);
        checker.check(node, context);
        return checker.getType("bool");
      },
      evaluate(evaluator: Evaluator, _macro: unknown, context: unknown) {
        const { node, operand, field } = selection ?? refuse(args[0]);
        const found = evaluator.run(operand, context);
        const value = found instanceof Optional ? (found.hasValue() ? found.value() : undefined) : found;
        if (value === undefined) return false;
        return evaluator.debugType(value).fieldLazy(value, field, node, evaluator) !== undefined;
      },
    };
  });
}

function selectionOf(node: ASTNode | undefined): Selection | undefined {
  if (node === undefined || node.op !== ".") return undefined;
  const [operand, field] = node.args;
  return { node, operand, field };
}

function refuse(node: ASTNode | undefined): never {
  throw new TypeFault({
    code: "invalid_macro_argument",
    message: "invalid argument to has() macro",
    ...(node !== undefined && { node }),
  });
}
