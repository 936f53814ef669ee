import { evaluate } from "./evaluate.ts";
import { JsonnetError } from "./jsonnet-error.ts";
import { nativeFunction } from "./native.ts";
import { parseJsonnet } from "./parse.ts";
import { toData } from "./print-json.ts";
import type { Run, Scope } from "./scope.ts";
import { standardArrays } from "./standard-arrays.ts";
import { standardManifests } from "./standard-manifests.ts";
import { standardMath } from "./standard-math.ts";
import { standardObjects } from "./standard-objects.ts";
import { standardStrings } from "./standard-strings.ts";
import { type Field, JsonnetArray, JsonnetFunction, JsonnetObject, Thunk, type Value } from "./values.ts";

/** A variable of the outside: text, or code when `code` is set. */
export interface ExternalValue {
  name: string;
  value: string;
  code: boolean;
}

export interface JsonnetProgram {
  /** The file to evaluate, a key of `files`. */
  file: string;
  /** All that may be imported, by path. */
  files: ReadonlyMap<string, string>;
  /** For each importing file and import text, the path in `files`. */
  imports: ReadonlyMap<string, string>;
  extVars: readonly ExternalValue[];
  tlas: readonly ExternalValue[];
  maxDepth?: number;
}

/** Key of `imports`. */
export const importKey = (from: string, path: string): string => `${from}\n${path}`;

const defaultMaxDepth = 5_000;

/** Evaluates a program to plain data. Synchronous and without limit in time: run it where it can be ended. */
export function runJsonnet(program: JsonnetProgram): unknown {
  const evaluated = new Map<string, Value>();
  const run: Run = { maxDepth: program.maxDepth ?? defaultMaxDepth, depth: 0, evaluate, importFile };

  function scopeOf(file: string): Scope {
    const names = new Map([["std", Thunk.of(standardLibrary(file, extVar))]]);
    return { names, outer: undefined, self: undefined, level: 0, dollar: undefined, run };
  }

  function extVar(name: string): Value {
    const found = program.extVars.find((one) => one.name === name);
    if (!found) throw new JsonnetError(`undefined external variable: ${name}`);
    return external(found, "extvar");
  }

  function external({ name, value, code }: ExternalValue, kind: string): Value {
    if (!code) return value;
    const file = `<${kind}:${name}>`;
    return evaluate(parseJsonnet(file, value), scopeOf(file));
  }

  function importFile(path: string, how: "import" | "importstr" | "importbin", from: string): Value {
    const resolved = program.imports.get(importKey(from, path));
    const text = resolved === undefined ? undefined : program.files.get(resolved);
    if (resolved === undefined || text === undefined)
      throw new JsonnetError(
        `couldn't open import ${JSON.stringify(path)}: no match locally or in the library paths`,
      );
    if (how === "importstr") return text;
    if (how === "importbin") return JsonnetArray.of([...Buffer.from(text, "utf8")]);
    const kept = evaluated.get(resolved);
    if (kept !== undefined) return kept;
    const value = evaluate(parseJsonnet(resolved, text), scopeOf(resolved));
    evaluated.set(resolved, value);
    return value;
  }

  const text = program.files.get(program.file) ?? "";
  const value = evaluate(parseJsonnet(program.file, text), scopeOf(program.file));
  return toData(withArguments(value));

  /** Top-level arguments matter only when the program is a function. */
  function withArguments(top: Value): Value {
    if (!(top instanceof JsonnetFunction)) return top;
    for (const { name } of program.tlas)
      if (!top.params.some((param) => param.name === name))
        throw new JsonnetError(`function has no parameter ${name}`);
    const given = top.params.map(({ name, hasDefault }) => {
      const found = program.tlas.find((one) => one.name === name);
      if (!found && !hasDefault) throw new JsonnetError(`missing argument: ${name}`);
      return found && Thunk.of(external(found, "top-level-arg"));
    });
    return top.invoke(given, undefined);
  }
}

const natives = {
  ...standardObjects,
  ...standardArrays,
  ...standardMath,
  ...standardStrings,
  ...standardManifests,
};
const functions = new Map<string, JsonnetFunction>(
  Object.entries(natives).map(([name, native]) => [name, nativeFunction(name, native)]),
);

function standardLibrary(file: string, extVar: (name: string) => Value): JsonnetObject {
  const fields = new Map<string, Field>();
  const add = (name: string, value: Value): void => {
    fields.set(name, { visibility: "::", adds: false, compute: () => value });
  };
  for (const [name, value] of functions) add(name, value);
  add("pi", Math.PI);
  add("thisFile", file);
  add("extVar", nativeFunction("extVar", ["x", (args) => extVar(args.text(0))]));
  add("native", nativeFunction("native", ["x", () => null]));
  return new JsonnetObject([{ fields, asserts: [] }]);
}
