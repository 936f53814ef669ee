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
  verbose: { kind: "boolean", short: "v", help: "" },
  "no-samples": { kind: "boolean", help: "" },
  data: { kind: "string", help: "", env: "DATA" },
  port: { kind: "integer", help: "", range: [0, 65_535], env: "PORT" },
} as const satisfies Flags;

const read = (...argv: string[]) => {
  const { flags: given, args } = parseFlags(argv, flags);
  return { flags: given, args };
};

test("flags stand anywhere among the arguments, in all of pflag's forms", () => {
  assert.deepEqual(read("a", "--prune", "b", "-o", "json"), {
    flags: { prune: true, output: "json" },
    args: ["a", "b"],
  });
  assert.deepEqual(read("--output=wide", "--cascade=false", "--prune=T", "a"), {
    flags: { output: "wide", cascade: false, prune: true },
    args: ["a"],
  });
  for (const written of [["-ojson"], ["-o=json"], ["-o", "json"], ["--output", "json"]])
    assert.deepEqual(read(...written).flags, { output: "json" });
  assert.deepEqual(read("-vo", "json", "-").flags, { verbose: true, output: "json" });
  assert.deepEqual(read("-v=false", "-").args, ["-"]);
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

test("a switch is denied by --no-, unless that is a flag of its own", () => {
  assert.deepEqual(read("--no-prune", "--no-samples").flags, { prune: false, "no-samples": true });
});

test("the environment gives what the command line does not", () => {
  const byEnv = (...argv: string[]) => parseFlags(argv, flags, { DATA: "/data", PORT: "80" }).flags;
  assert.deepEqual(byEnv(), { data: "/data", port: 80 });
  assert.deepEqual(byEnv("--data", "/mine", "--port=0"), { data: "/mine", port: 0 });
  assert.throws(() => parseFlags([], flags, { PORT: "x" }), /^UsageError: PORT: "x" is not a whole number/);
});

test("durations are Go's, or seconds", () => {
  assert.equal(read("--timeout", "90").flags.timeout, 90_000);
  assert.equal(read("--timeout", "1m30s").flags.timeout, 90_000);
});

test("behind -- everything is an argument", () => {
  assert.deepEqual(read("a", "--", "--prune", "--cascade=x").args, ["a", "--prune", "--cascade=x"]);
  assert.deepEqual(parseFlags(["a", "--", "b"], flags).behindDashes, ["b"]);
});

const mistakes: [string[], RegExp][] = [
  [["--prnue"], /unknown flag: --prnue; did you mean --prune\?/],
  [["--prune=maybe"], /--prune: "maybe" is neither true nor false/],
  [["-o", "xml"], /--output: "xml" is none of wide, json/],
  [["-o", "wide=x"], /--output: "wide=x" is none of wide, json/],
  [["--retry-limit", "few"], /--retry-limit: "few" is not a whole number/],
  [["--timeout", "soon"], /--timeout: "soon" is not a duration/],
  [["--output"], /--output needs a value/],
  [["-o"], /--output needs a value/],
  [["-vx"], /unknown flag: -x/],
  [["--constructor"], /unknown flag: --constructor/],
  [["--port", "70000"], /--port: "70000" is not a whole number from 0 to 65535/],
];

for (const [argv, expected] of mistakes) {
  test(`${argv.join(" ")} is a mistake`, () => {
    assert.throws(() => read(...argv), expected);
  });
}
