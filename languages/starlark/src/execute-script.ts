import type { YamlValue } from "@capstan/krm-yaml";
import { universe } from "./builtins/universe.ts";
import { compileExpression } from "./evaluate/compile-expressions.ts";
import { compileFunction, compileStatements, type Load } from "./evaluate/compile-statements.ts";
import type { Compiling } from "./evaluate/compiling.ts";
import { Frame, Run } from "./evaluate/frame.ts";
import { resolveNames } from "./evaluate/resolve-names.ts";
import { loadModule } from "./modules/load-module.ts";
import { fromData, toData } from "./script-data.ts";
import { StarlarkError } from "./script-error.ts";
import { parseScript } from "./syntax/parse.ts";
import { Struct } from "./values/callables.ts";
import { StarDict } from "./values/mappings.ts";
import { allowSteps } from "./values/steps.ts";
import { toBytes, toText } from "./values/utf8.ts";
import { StarObject, type Value } from "./values/value.ts";

/** A script with all that it may see. */
export interface StarlarkScript {
  /** Stands where a file name would in messages; kpt gives the functionConfig's name. */
  name: string;
  source: string;
  /** `ctx.resource_list`: items and functionConfig, whose params the script reads there. */
  resourceList: YamlValue;
  /** `ctx.environment`. */
  environment: Readonly<Record<string, string>>;
  /** `ctx.open_api`: Kubernetes' schemas. */
  openApi?: YamlValue;
  /** What `time.now()` gives, in milliseconds. */
  nowMs: number;
  maxSteps: number;
}

export interface StarlarkEnd {
  /** As the script left it. */
  resourceList: YamlValue;
  /** A line for each `print`. */
  printed: string;
}

/** Calls within calls; the worker's stack is large enough for them. */
const maxDepth = 5_000;

/** Runs a script. Synchronous and bounded in steps only: run it where it can be ended. */
export function executeScript(script: StarlarkScript): StarlarkEnd {
  const { name, source, nowMs } = script;
  allowSteps(script.maxSteps);
  const run = new Run(name, { nowMs, maxDepth });
  return telling(run, () => {
    const resourceList = fromData(script.resourceList);
    executeFile(source, run, {
      predeclared: new Map([["ctx", contextOf(script, resourceList)]]),
      load: loadModule,
    });
    return { resourceList: toData(resourceList), printed: printedBy(run) };
  });
}

const printedBy = (run: Run): string => run.printed.map((line) => `${toText(line)}\n`).join("");

/** Runs the statements of a file and gives what it declares beyond those. */
export function executeFile(
  source: string,
  run: Run,
  { predeclared, load }: { predeclared: ReadonlyMap<string, Value>; load: Load },
): void {
  const statements = parseScript(run.file, source);
  const known = new Map([...universe, ...predeclared]);
  const bindings = resolveNames(run.file, statements, (one) => known.has(one));
  const compiling: Compiling = {
    bindings,
    predeclared: known,
    expression: (expression) => compileExpression(expression, compiling),
    function: (code) => compileFunction(code, compiling),
  };
  const execute = compileStatements(statements, compiling, load);
  const frame = new Frame(run, "<toplevel>", { outer: undefined, at: { line: 1, column: 1 } });
  run.enter(frame);
  execute(frame);
  run.leave();
}

/** Stands for Kubernetes' OpenAPI schemas where they are not at hand. */
class NoSchemas extends StarObject {
  readonly type = "dict";

  repr(): string {
    return "{}";
  }

  override index(): never {
    throw new StarlarkError("ctx.open_api is not available here; use the function's image for it");
  }
}

/** What kpt predeclares (kyaml fn/runtime/starlark, Context). */
function contextOf({ environment, openApi }: StarlarkScript, resourceList: Value): Value {
  const entries = Object.entries(environment).map(([key, value]) => [toBytes(key), toBytes(value)] as const);
  return new Struct([
    ["resource_list", resourceList],
    ["environment", StarDict.of(entries)],
    ["open_api", openApi === undefined ? new NoSchemas() : fromData(openApi)],
  ]);
}

/** Errors leave with the calls that led to them and with what was printed before. */
function telling<T>(run: Run, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const details = { trace: run.trace(), printed: printedBy(run) };
    if (error instanceof StarlarkError) throw new StarlarkError(toText(error.message), details);
    if (error instanceof RangeError) throw new StarlarkError("Starlark stack overflow", details);
    throw error;
  }
}
