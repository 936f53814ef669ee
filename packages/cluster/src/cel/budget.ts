import type { ASTNode, Environment } from "@marcbachmann/cel-js";

/**
 * A third of what kube-apiserver grants (pkg/apis/cel config.go PerCallLimit, RuntimeCELCostBudget) and less for all of
 * a request: here nobody else is answered meanwhile. Rules that people write take some hundreds.
 */
const stepsPerCall = 300_000;
const stepsPerRequest = 600_000;
/** Characters and items that are gone over in the time of one step. */
const sizePerStep = 50;
/** What one step costs may depend on more than the sizes that are counted: the clock ends both, too. */
const msPerCall = 2_000;
const msPerRequest = 4_000;
const exceeded = "operation cancelled: actual cost limit exceeded";

export class BudgetExceeded extends Error {
  constructor() {
    super(exceeded);
  }
}

interface Evaluator {
  run(ast: ASTNode, context: unknown): unknown;
}

interface Budget {
  steps: number;
  readonly until: number;
}

let current: Budget | undefined;

/**
 * Expressions end by themselves, but what nests may take for ever or fill the memory: each step costs, and so does each
 * text and list that it is about, by what it holds, since whatever is done with it goes over it.
 */
export function limitSteps(environment: Environment): void {
  environment.registerFunction(`capstanEvaluator(): bool`, function (this: Evaluator) {
    const run = this.run.bind(this);
    this.run = (ast, context) => {
      const value = run(ast, context);
      spend(1 + sizeOf(value) / sizePerStep);
      return value;
    };
    return true;
  });
  environment.evaluate("capstanEvaluator()");
}

function spend(steps: number): void {
  if (current === undefined) return;
  current.steps -= steps;
  if (current.steps < 0 || performance.now() > current.until) throw new BudgetExceeded();
}

/** One evaluation, which gets no more than what is left of its request. */
export function withinCall<Value>(evaluate: () => Value): Value {
  return within(stepsPerCall, msPerCall, evaluate);
}

/** All evaluations for one object, or of one policy. */
export function withinRequest<Value>(evaluate: () => Value): Value {
  return within(stepsPerRequest, msPerRequest, evaluate);
}

function within<Value>(steps: number, ms: number, evaluate: () => Value): Value {
  const outer = current;
  const given = Math.min(steps, outer?.steps ?? steps);
  const own = {
    steps: given,
    until: Math.min(performance.now() + ms, outer?.until ?? Number.POSITIVE_INFINITY),
  };
  current = own;
  try {
    return evaluate();
  } finally {
    current = outer;
    if (outer) outer.steps -= given - own.steps;
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return value instanceof Map || value instanceof Set ? value.size : 0;
}
