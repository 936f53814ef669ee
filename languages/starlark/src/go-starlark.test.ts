/**
 * Runs go.starlark.net's own test files, if they are at hand:
 *   GOPATH=$(mktemp -d) go mod download -json go.starlark.net@latest
 *   STARLARK_GO_DIR=<"Dir" of the answer> node --test languages/starlark/src/go-starlark.test.ts
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Arguments, native, natives } from "./builtins/arguments.ts";
import { Run } from "./evaluate/frame.ts";
import { executeFile } from "./execute-script.ts";
import { loadModule } from "./modules/load-module.ts";
import { binary } from "./operators/operators.ts";
import { StarlarkError } from "./script-error.ts";
import { Callable, Module, Struct } from "./values/callables.ts";
import { compare, equal, isNumber } from "./values/compare.ts";
import { display, repr } from "./values/print-value.ts";
import { StarList } from "./values/sequences.ts";
import { allowSteps } from "./values/steps.ts";
import { toText } from "./values/utf8.ts";
import { freeze, isTrue, StarObject, type Value } from "./values/value.ts";

const folder = join(process.env.STARLARK_GO_DIR ?? "", "starlark", "testdata");
const skip = existsSync(join(folder, "assign.star")) ? false : "STARLARK_GO_DIR names no go.starlark.net";

const files = ["assign", "bool", "builtins", "bytes", "control", "dict", "float", "function", "int", "json"];
files.push("list", "math", "misc", "module", "recursion", "set", "string", "time", "tuple", "while");

/**
 * Told differently on purpose: kpt allows recursion and reassigning, gives scripts nothing with fields that can be
 * set, and nothing freezes a function that is still being changed.
 */
const known = [
  /called recursively/,
  /field of hasfields/,
  /setX|setY/,
  /want frozen list/,
  /undefined: assert/,
];

interface Chunk {
  source: string;
  /** Regular expressions of errors, by line. */
  wanted: Map<number, RegExp>;
}

for (const file of files)
  test(`go.starlark.net: ${file}.star`, { skip }, (context) => {
    const chunks = readChunks(readFileSync(join(folder, `${file}.star`), "utf8"));
    const wrong = chunks.flatMap((chunk) => runChunk(file, chunk));
    const bad = new Set(wrong.map(({ chunk }) => chunk)).size;
    context.diagnostic(`${file}: ${chunks.length - bad} of ${chunks.length} chunks`);
    for (const { problem } of wrong) context.diagnostic(problem);
    assert.equal(bad, 0);
  });

function readChunks(text: string): Chunk[] {
  let line = 0;
  return text.split("\n---\n").map((part) => {
    const source = "\n".repeat(line) + part;
    const lines = source.split("\n");
    line = lines.length;
    const wanted = new Map<number, RegExp>();
    for (const [index, one] of lines.entries()) {
      const pattern = /### *("(?:[^"\\]|\\.)*"|`[^`]*`)/.exec(one)?.[1];
      if (pattern === undefined) continue;
      const content = pattern.startsWith("`") ? pattern.slice(1, -1) : String(JSON.parse(pattern));
      wanted.set(index + 1, new RegExp(content));
    }
    return { source, wanted };
  });
}

function runChunk(file: string, chunk: Chunk): { chunk: Chunk; problem: string }[] {
  allowSteps(50_000_000);
  const run = new Run(file, { nowMs: Date.UTC(2026, 0, 1), maxDepth: 1_000 });
  const problems: string[] = [];
  const tell = (problem: string): void => {
    problems.push(`${run.trace().findLast((one) => one.startsWith(file)) ?? file}: ${toText(problem)}`);
  };
  const load = (name: string): ReadonlyMap<string, Value> | undefined => {
    if (name === "assert.star") return assertions(run, tell);
    return loadModule(name === "json.star" ? "encoding/json.star" : name);
  };
  try {
    executeFile(chunk.source, run, { predeclared: extras, load });
    for (const [line, pattern] of chunk.wanted) problems.push(`${file}:${line}: no error, want ${pattern}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const frame = run.trace().findLast((one) => one.startsWith(`${file}:`));
    const at = /^\w+:(\d+):/.exec(run.depth === 0 ? message : (frame ?? ""))?.[1];
    if (!chunk.wanted.get(Number(at))?.test(message)) problems.push(`${file}:${at}: ${message} ${frame}`);
  }
  const unexpected = problems.filter((problem) => !known.some((one) => one.test(problem)));
  return unexpected.map((problem) => ({ chunk, problem }));
}

/** What starlarktest's assert.star offers. */
function assertions(run: Run, tell: (problem: string) => void): ReadonlyMap<string, Value> {
  const check = (holds: boolean, problem: () => string): null => {
    if (!holds) tell(problem());
    return null;
  };
  const members = natives({
    fail: (args) => check(false, () => args.positional.map(display).join(" ")),
    eq: (args) => {
      const [one = null, other = null] = args.positional;
      return check(equal(one, other) || isNear(one, other), () => `${repr(one)} != ${repr(other)}`);
    },
    ne: (args) => {
      const [one = null, other = null] = args.positional;
      return check(!equal(one, other), () => `${repr(one)} == ${repr(other)}`);
    },
    true: (args) =>
      check(isTrue(args.positional[0] ?? null), () => display(args.positional[1] ?? "not true")),
    lt: (args) => {
      const [one = null, other = null] = args.positional;
      return check(compare("<", one, other), () => `${repr(one)} is not less than ${repr(other)}`);
    },
    contains: (args) => {
      const [one = null, other = null] = args.positional;
      return check(isTrue(binary("in", other, one)), () => `${repr(one)} does not contain ${repr(other)}`);
    },
    fails: (args) => {
      const [target = null, pattern = ""] = args.positional;
      const { depth } = run;
      try {
        run.call(target, [], []);
      } catch (error) {
        if (!(error instanceof StarlarkError)) throw error;
        run.unwind(depth);
        const want = new RegExp(toText(display(pattern)));
        return check(want.test(toText(error.message)), () => `got ${error.message}, want ${want}`);
      }
      return check(false, () => `no error, want ${display(pattern)}`);
    },
  });
  return new Map<string, Value>([
    ["assert", new Module("assert", members)],
    [
      "freeze",
      native("freeze", (args) => {
        const [value = null] = args.positional;
        freeze(value);
        return value;
      }),
    ],
  ]);
}

function isNear(one: Value, other: Value): boolean {
  if (!isNumber(one) || !isNumber(other)) return false;
  return Math.abs(Number(one) - Number(other)) <= Math.abs(Number(one)) * Number.EPSILON;
}

class Fibonacci extends StarObject {
  readonly type = "fib";

  repr(): string {
    return "fib";
  }

  override *elements(): Generator<Value> {
    let [one, other] = [0n, 1n];
    for (;;) {
      yield one;
      [one, other] = [other, one + other];
    }
  }
}

class MakeStruct extends Callable {
  readonly type = "builtin_function_or_method";
  readonly name = "struct";

  repr(): string {
    return "<built-in function struct>";
  }

  invoke(...[positional, named, host]: Parameters<Callable["invoke"]>): Value {
    return new Struct(new Arguments({ name: "struct", positional, named, host }).named);
  }
}

/** Go's tests set its fields; nothing that kpt gives a script has fields that can be set. */
class HasFields extends StarObject {
  readonly type = "hasfields";

  repr(): string {
    return "hasfields";
  }

  override binary(operator: string, other: Value): Value | undefined {
    return operator === "+" && other instanceof StarList ? 42n : undefined;
  }
}

const extras: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["hasfields", native("hasfields", () => new HasFields())],
  ["fibonacci", new Fibonacci()],
  ["struct", new MakeStruct()],
]);
