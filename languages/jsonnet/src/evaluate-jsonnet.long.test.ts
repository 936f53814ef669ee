import assert from "node:assert/strict";
import { test } from "node:test";
import { collectSources, evaluateSources, type JsonnetRequest } from "./evaluate-jsonnet.ts";

async function evaluate(
  files: Readonly<Record<string, string>>,
  more: Partial<JsonnetRequest> = {},
  signal = AbortSignal.timeout(100_000),
): Promise<unknown> {
  const request = { file: "main.jsonnet", libs: [], extVars: [], tlas: [], ...more };
  return evaluateSources(await collectSources({ read: async (path) => files[path], ...request }), signal);
}

const programs: readonly (readonly [string, string, unknown])[] = [
  [
    "arithmetic and strings",
    `{ a: 1 + 2 * 3, b: "x" + 1, c: "%05.1f|%-4s|" % [3.14159, "ab"] }`,
    { a: 7, b: "x1", c: "003.1|ab  |" },
  ],
  ["locals, functions and defaults", "local f(x, y=x + 1) = x * y; [f(2), f(2, y=5)]", [6, 10]],
  [
    "inheritance with self, super and +:",
    `{ a: 1, b: self.a, n: { x: 1 } } + { a: 2, n+: { y: super.x }, c: super.b }`,
    { a: 2, b: 2, c: 2, n: { x: 1, y: 1 } },
  ],
  [
    "hidden fields and $",
    `{ hidden:: 5, shown: $.hidden, inner: { up: $.shown } }`,
    { inner: { up: 5 }, shown: 5 },
  ],
  [
    "comprehensions",
    `{ ["k" + i]: i for i in [1] } + { list: [x * y for x in [1, 2, 3] if x != 2 for y in [1, 10]] }`,
    { k1: 1, list: [1, 10, 3, 30] },
  ],
  [
    "slices and text blocks",
    `["abcdef"[1:4], [1, 2, 3, 4, 5][::2], |||\n  line\n    more\n|||]`,
    ["bcd", [1, 3, 5], "line\n  more\n"],
  ],
  ["lazy evaluation", `local x = { bad: error "never", good: 1 }; x.good`, 1],
  [
    "the standard library",
    `[std.join(",", ["a", "b"]), std.sort([3, 1, 2]), std.foldl(function(a, b) a + b, [1, 2, 3], 0), std.manifestJsonMinified({ a: [1, "x"] })]`,
    ["a,b", [1, 2, 3], 6, '{"a":[1,"x"]}'],
  ],
];

for (const [fact, program, expected] of programs)
  test(`evaluates ${fact}`, async () => {
    assert.deepEqual(await evaluate({ "main.jsonnet": program }), expected);
  });

test("imports from beside the file, from library folders, and as text", async () => {
  const files = {
    "app/main.jsonnet": `(import "params.libsonnet") + (import "shared.libsonnet") + { text: importstr "note.txt" }`,
    "app/params.libsonnet": "{ a: 1 }",
    "app/note.txt": "hello",
    "lib/shared.libsonnet": "{ b: 2 }",
  };
  const data = await evaluate(files, { file: "app/main.jsonnet", libs: ["lib"] });
  assert.deepEqual(data, { a: 1, b: 2, text: "hello" });
});

test("external variables and top-level arguments are text or code", async () => {
  const extVars = [{ name: "v", value: "1 + 1", code: true }];
  const tlas = [{ name: "name", value: "web", code: false }];
  const data = await evaluate(
    { "main.jsonnet": `function(name, n=3) [name, n, std.extVar("v")]` },
    { extVars, tlas },
  );
  assert.deepEqual(data, ["web", 3, 2]);
});

const mistakes: readonly (readonly [string, string, RegExp])[] = [
  ["a syntax error", "{ a: 1\n  b: 2 }", /^main\.jsonnet:2:3: expected "}", got name "b"/],
  ["an error expression", `local f() =\n  error "no such size";\nf()`, /^main\.jsonnet:2:3: no such size/],
  ["an unknown variable", "[1,\n x]", /^main\.jsonnet:2:2: unknown variable: x/],
  ["an import that is not there", `import "absent.libsonnet"`, /couldn't open import "absent\.libsonnet"/],
  ["an import outside the tree", `import "../../../etc/passwd"`, /couldn't open import/],
  ["a missing field", "{ a: 1 }.b", /field does not exist: b/],
  ["a failed assertion", `{ assert self.a > 1 : "a is too small", a: 1 }`, /a is too small/],
  ["endless recursion", "local f(x) = f(x) + 1; f(1)", /max stack frames exceeded/],
  ["a value that needs itself", "local a = a; a", /infinite recursion/],
  ["an array beyond measure", "std.range(1, 1e12)", /too large/],
];

for (const [fact, program, message] of mistakes)
  test(`says where: ${fact}`, async () => {
    await assert.rejects(evaluate({ "main.jsonnet": program }), { name: "JsonnetError", message });
  });

test("a program that does not end is ended by the signal", async () => {
  const controller = new AbortController();
  const program =
    "local f(n) = if n == 0 then 0 else f(n - 1); std.foldl(function(a, b) f(200), std.range(1, 1e6), 0)";
  const running = evaluate({ "main.jsonnet": program }, {}, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(running, /enough/);
});
