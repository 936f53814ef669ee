import type { ASTNode, Environment } from "@marcbachmann/cel-js";

/** apiserver pkg/apis/cel config.go PerCallLimit */
const stepsPerCall = 1_000_000;
const exceeded = "operation cancelled: actual cost limit exceeded";

export class BudgetExceeded extends Error {
  constructor() {
    super(exceeded);
  }
}

interface Evaluator {
  run(ast: ASTNode, context: unknown): unknown;
}

let left = stepsPerCall;

/** Expressions end by themselves, but what nests may take for ever or fill the memory: each step costs, and what is made. */
export function limitSteps(environment: Environment): void {
  environment.registerFunction(`capstanEvaluator(): bool`, function (this: Evaluator) {
    const run = this.run.bind(this);
    this.run = (ast, context) => {
      left -= 1;
      const value = run(ast, context);
      if (ast.op === "+" || ast.op === "rcall" || ast.op === "call") left -= sizeOf(value) / 10;
      if (left < 0) throw new BudgetExceeded();
      return value;
    };
    return true;
  });
  environment.evaluate("capstanEvaluator()");
}

export function startBudget(): void {
  left = stepsPerCall;
}

function sizeOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}
