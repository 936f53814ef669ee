import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError, isCapstanError } from "./capstan-error.ts";
import { describeFailure, formatPlace } from "./describe-failure.ts";
import type { Failure } from "./failure.ts";

const texts: [Failure, string][] = [
  [
    { code: "YAML_INVALID", file: "a.yaml", document: 2, line: 3, column: 4, problem: "bad indentation" },
    "invalid YAML in a.yaml: document 2, line 3, column 4: bad indentation",
  ],
  [
    { code: "PATH_MISSING", path: "shop", revision: "abc" },
    "shop: app path does not exist at abc. Correct source.path or push the directory",
  ],
  [
    { code: "FILE_TOO_LARGE", file: "big.yaml", bytes: 1024 ** 3, limitBytes: 10 * 1024 ** 2 },
    "big.yaml has 1 GiB, more than the limit of 10 MiB. Make it smaller or exclude it",
  ],
  [
    { code: "PLUGIN_MISSING", plugin: "x", available: ["helm", "kustomize"] },
    'there is no plugin "x"; installed plugins: helm, kustomize',
  ],
  [
    { code: "TOOL_FAILED", tool: "helm", command: "helm template .", exitCode: 1, stderr: "Error: no\n" },
    "helm failed with exit code 1 (helm template .): Error: no",
  ],
  [{ code: "TIMED_OUT", what: "helm template", afterMs: 60_000 }, "helm template took longer than 60 s"],
  [
    {
      code: "INVALID_SPEC",
      what: "Application shop",
      problems: [
        { field: "spec.source", severity: "error", message: "is missing" },
        { field: "", severity: "error", message: "is odd" },
      ],
    },
    "Application shop is invalid: spec.source: is missing; is odd",
  ],
];
for (const [failure, text] of texts) {
  test(`${failure.code} says what, where and what to do`, () => assert.equal(describeFailure(failure), text));
}

test("a failure that is told again says until when", () => {
  const failure: Failure = { code: "NOT_FOUND", what: "a", cachedUntil: "2026-01-01T00:00:00Z" };
  assert.match(describeFailure(failure), /cached failure; tried again after 2026-01-01T00:00:00Z/);
});

test("a place is as exact as it is known", () => {
  assert.equal(formatPlace({ file: "a", line: 2 }), "a: line 2");
  assert.equal(formatPlace({ file: "a" }), "a");
  assert.equal(formatPlace({}), "");
});

test("the cause is kept and does not show", () => {
  const error = new CapstanError({ code: "INTERNAL", problem: "x" }, new Error("secret"));
  assert.ok(!error.message.includes("secret"));
  assert.ok(error.cause instanceof Error);
  assert.ok(isCapstanError(error, "INTERNAL") && !isCapstanError(error, "NOT_FOUND"));
});
