import assert from "node:assert/strict";
import { test } from "node:test";
import type { Flags } from "./command.ts";
import { parseFlags } from "./parse-flags.ts";

const flags = {
  prune: { kind: "boolean", help: "" },
  cascade: { kind: "boolean", help: "" },
  output: { kind: "string", short: "o", help: "", choices: ["wide", "json"] },
  project: { kind: "list", short: "p", help: "" },
  "helm-set": { kind: "strings", help: "" },
  "retry-limit": { kind: "integer", help: "" },
  timeout: { kind: "duration", help: "" },
} as const satisfies Flags;

const read = (...argv: string[]) => parseFlags(argv, flags);

test("flags stand anywhere among the arguments, in all of pflag's forms", () => {
  assert.deepEqual(read("a", "--prune", "b", "-o", "json"), {
    flags: { prune: true, output: "json" },
    args: ["a", "b"],
  });
  assert.deepEqual(read("--output=wide", "--cascade=false", "--prune=T", "a"), {
    flags: { output: "wide", cascade: false, prune: true },
    args: ["a"],
  });
  assert.deepEqual(read("-ojson").flags, { output: "json" });
});

test("lists take commas and repetition, other repeated flags do not cut at commas", () => {
  assert.deepEqual(read("-p", "a,b", "--project", "c").flags, { project: ["a", "b", "c"] });
  assert.deepEqual(read("--helm-set", "a={1,2}", "--helm-set", "b=3").flags, {
    "helm-set": ["a={1,2}", "b=3"],
  });
});

test("what stands behind a flag is its value, whatever it begins with", () => {
  assert.deepEqual(read("--retry-limit", "-1", "a"), { flags: { "retry-limit": -1 }, args: ["a"] });
});

test("durations are Go's, or seconds", () => {
  assert.equal(read("--timeout", "90").flags.timeout, 90_000);
  assert.equal(read("--timeout", "1m30s").flags.timeout, 90_000);
});

test("behind -- everything is an argument", () => {
  assert.deepEqual(read("a", "--", "--prune", "--cascade=x").args, ["a", "--prune", "--cascade=x"]);
});

const mistakes: [string[], RegExp][] = [
  [["--prnue"], /unknown flag: --prnue; did you mean --prune\?/],
  [["--prune=maybe"], /--prune: "maybe" is neither true nor false/],
  [["-o", "xml"], /--output: "xml" is none of wide, json/],
  [["--retry-limit", "few"], /--retry-limit: "few" is not a whole number/],
  [["--timeout", "soon"], /--timeout: "soon" is not a duration/],
  [["--output"], /--output needs a value/],
];

for (const [argv, expected] of mistakes) {
  test(`${argv.join(" ")} is a mistake`, () => {
    assert.throws(() => read(...argv), expected);
  });
}
