/**
 * The thread in which expressions are evaluated, so that one that does not end can be ended. Each run has a jq of its
 * own, with memory of its own: nothing that one object or expression leaves there reaches the next.
 */
import { readFile } from "node:fs/promises";
import { workerData } from "node:worker_threads";
import { ScriptError, serveRuns } from "@capstan/script-thread/serve-runs";
import { type Jq, loadJq } from "jq-wasm";
import type { FieldPath } from "./delete-paths.ts";
import type { JqBounds, JqRun } from "./jq-run.ts";
import { ResolvedPaths } from "./resolve-paths.ts";

const bounds: JqBounds = workerData;
const module = new WebAssembly.Module(await readFile(new URL(import.meta.resolve("jq-wasm/jq.wasm"))));
const pageBytes = 65_536;
const endedByJq = 5;

/** What was found to be an expression by itself, so that within parentheses it is one too. */
const sound = new Set<string>();
const mostSound = 1_000;

serveRuns<JqRun>(async ({ expression, objects }) => {
  if (!sound.has(expression)) {
    compiled(await evaluate("[]", `empty | ${expression}`));
    if (sound.size >= mostSound) sound.clear();
    sound.add(expression);
  }
  // As gojq is for Argo CD: no environment. An object on which it fails has nothing deleted.
  const paths = `[limit(${bounds.mostPaths + 1}; path(${expression}))]`;
  const program = `def env: {}; {} as $ENV | .[] | try ${paths} catch []`;
  const { stdout, exitCode } = compiled(await evaluate(`[${objects.join(",")}]`, program));
  if (stdout.length > bounds.answerBytes) throw new ScriptError("value", "the expression names too much");
  const lines = stdout === "" ? [] : stdout.split("\n");
  if (exitCode !== 0 || lines.length !== objects.length)
    throw new ScriptError("failed", "the expression ends jq before it has said which fields it names");
  return lines.map((line, index) => resolved(objects[index] ?? "null", line));
});

function resolved(object: string, line: string): FieldPath[] {
  const given: unknown = JSON.parse(line);
  const found = new ResolvedPaths(JSON.parse(object), bounds.mostPaths);
  const paths = Array.isArray(given) ? given.filter((path: unknown) => Array.isArray(path)) : [];
  if (paths.length > bounds.mostPaths || !paths.every((path) => found.add(path)))
    throw new ScriptError("value", `the expression names more than ${bounds.mostPaths} fields of an object`);
  return found.all;
}

type Result = ReturnType<Jq["raw"]>;

async function evaluate(input: string, program: string): Promise<Result> {
  const jq = await loadJq({
    instantiateWasm: (imports, onSuccess) => {
      const instance = new WebAssembly.Instance(module, imports);
      limitMemory(instance);
      onSuccess(instance, module);
    },
  });
  try {
    return jq.raw(input, program, ["-c"]);
  } catch (error) {
    // jq ends itself where no memory is given to it, and with it this instance alone.
    if (error instanceof Error && (error.name === "RuntimeError" || error instanceof RangeError))
      throw new ScriptError("memory", "the expression took more memory than it may");
    throw error;
  }
}

/** Emscripten asks the memory itself to grow, and takes an exception for a no. */
function limitMemory({ exports }: WebAssembly.Instance): void {
  for (const memory of Object.values(exports)) {
    if (!(memory instanceof WebAssembly.Memory) || !canGrow(memory)) continue;
    const grow = memory.grow.bind(memory);
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * pageBytes > bounds.memoryBytes)
        throw new RangeError("an expression may not take that much memory");
      return grow(pages);
    };
  }
}

function canGrow(memory: object): memory is { grow(pages: number): number; readonly buffer: ArrayBuffer } {
  return "grow" in memory && typeof memory.grow === "function";
}

/** What jq says of an expression is of the expression alone; of a run it may have values in it and goes nowhere. */
function compiled(result: Result): Result {
  if (result.exitCode === 0 || result.exitCode === endedByJq) return result;
  const [first = ""] = result.stderr.split("\n");
  const said = first.replace(/^jq: error: /, "").replace(/ at <top-level>.*$/, "");
  throw new ScriptError("failed", said === "" ? `jq ended with ${result.exitCode}` : said);
}
