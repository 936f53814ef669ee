import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@capstan/flow";
import { ScriptError } from "@capstan/script-thread";
import { deletePaths } from "./delete-paths.ts";
import { JqThread } from "./jq-thread.ts";

const clock: Clock = { now: () => Date.now(), sleep: (ms, signal) => wait(ms, undefined, { signal }) };
/** Nobody is ended by a busy machine. */
const timeMs = 30_000;
const jq = new JqThread({ clock });
const { signal } = new AbortController();

after(() => jq[Symbol.asyncDispose]());

async function paths(expression: string, ...objects: unknown[]) {
  const texts = objects.map((one) => JSON.stringify(one));
  return (await jq.evaluate({ expression, objects: texts, asker: "a", timeMs }, signal)).paths;
}

async function rest(expression: string, object: unknown): Promise<unknown> {
  const [found = []] = await paths(expression, object);
  return deletePaths(object, found);
}

const failure = (expression: string, object: unknown = {}) => failureOf(paths(expression, object));

async function failureOf(work: Promise<unknown>): Promise<ScriptError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ScriptError, String(error));
    return error;
  }
  return assert.fail("it did not fail");
}

const object = {
  a: { b: [1, 2, 3, 4], c: "x" },
  list: [
    { name: "one", value: 1 },
    { name: "two", value: 2 },
  ],
};

test("del: what Go's gojq gives for the same expressions", async () => {
  const cases: [string, unknown][] = [
    [".a", { list: object.list }],
    [".a.c, .list", { a: { b: [1, 2, 3, 4] } }],
    [".a.b[0]", { ...object, a: { b: [2, 3, 4], c: "x" } }],
    [".a.b[-1]", { ...object, a: { b: [1, 2, 3], c: "x" } }],
    [".a.b[0, -4, 1]", { ...object, a: { b: [3, 4], c: "x" } }],
    [".a.b[1:3]", { ...object, a: { b: [1, 4], c: "x" } }],
    [".a.b[:-2]", { ...object, a: { b: [3, 4], c: "x" } }],
    [".a.b[1:][1]", { ...object, a: { b: [1, 2, 4], c: "x" } }],
    [".a.b[1:][-1]", { ...object, a: { b: [1, 2, 3], c: "x" } }],
    [".a.b[1:3][1:]", { ...object, a: { b: [1, 2, 4], c: "x" } }],
    [".a.b[] | select(. > 2)", { ...object, a: { b: [1, 2], c: "x" } }],
    ['.list[] | select(.name == "two") | .value', { a: object.a, list: [object.list[0], { name: "two" }] }],
    ['.list[] | select(.name | test("^t"))', { a: object.a, list: [object.list[0]] }],
    [".list[].value | select(. == 1)", { a: object.a, list: [{ name: "one" }, object.list[1]] }],
    ["first(.[])", { list: object.list }],
    ["def f: .a; f", { list: object.list }],
    [".nothing.at.all, .a.b[9], .list[7:]", object],
    [".a.c.d", object],
    [".a | keys", object],
    ["1", object],
    ['error("no")', object],
    [".[] | .[]? | .name?", { a: object.a, list: [{ value: 1 }, { value: 2 }] }],
    ["..|.c?", { a: { b: [1, 2, 3, 4] }, list: object.list }],
    [".", undefined],
  ];
  for (const [expression, expected] of cases)
    assert.deepEqual(await rest(expression, object), expected, expression);
});

test("each object by itself, in their order, and one that fails has nothing deleted", async () => {
  assert.deepEqual(await paths(".a[0]", { a: [1] }, { a: "text" }, {}, { a: [0, 1] }), [
    [["a", 0]],
    [],
    [],
    [["a", 0]],
  ]);
  assert.deepEqual(await paths(".a"), []);
  const ends = await failure("if .a then halt else .b end", { a: 1 });
  assert.match(ends.message, /ends jq before/);
});

test("no expression is told in jq's words, without what stands around it", async () => {
  for (const [expression, message] of [
    [".[", /^syntax error, unexpected/],
    [".a | nothing", /^nothing\/0 is not defined$/],
    ["", /^syntax error/],
    [".a) | (.b", /^syntax error/],
    [".a)] | .[0] as [$x] | [path(.b", /^syntax error/],
    [".a # and a comment", /^syntax error/],
    ['import "x" as x; .a', /^syntax error/],
    ["$__prog_args", /not defined/],
  ] as const) {
    const { reason, message: said } = await failure(expression);
    assert.match(said, message, expression);
    assert.equal(reason, "failed", expression);
  }
});

test("an expression sees its object and nothing else, and what it says of it goes nowhere", async () => {
  for (const expression of [
    "input",
    "inputs",
    "$ENV.PATH",
    "env.PATH",
    "input_filename",
    ".secret | debug | error",
  ])
    assert.deepEqual(await paths(expression, { secret: "s3cret" }, { other: 1 }), [[], []], expression);
  const told = await failure("halt_error", { secret: "s3cret" });
  assert.doesNotMatch(told.message, /s3cret/);
});

test("what takes memory or names too much is refused, and the next expression is evaluated", async () => {
  await using small = new JqThread({ clock, memoryBytes: 20 * 1024 * 1024 });
  for (const expression of ["[limit(1e12; repeat(1))]", '"x" * 1e9', "def f: f | f; f"]) {
    const run = { objects: ['{"a":1}'], asker: "a", timeMs };
    const { reason } = await failureOf(small.evaluate({ ...run, expression }, signal));
    assert.equal(reason, "memory", expression);
    assert.deepEqual((await small.evaluate({ ...run, expression: ".a" }, signal)).paths, [[["a"]]]);
  }
  const many = { list: Array.from({ length: 20_000 }, (_, at) => at) };
  for (const expression of [".list[]", ".list[1:]", ".list[(range(0; 9000)):]"])
    assert.match((await failure(expression, many)).message, /more than 10000 fields/, expression);
  assert.equal((await failure("limit(1e6; repeat(.a))", { a: 1 })).reason, "value");
});

test("what does not end is ended, and the others that wait are served", async () => {
  for (const expression of ["last(repeat(.))", "range(1e12) | select(false)"]) {
    const late = jq.evaluate({ expression, objects: ["{}"], asker: "slow", timeMs: 300 }, signal);
    const told = assert.rejects(late, (error) => error instanceof ScriptError && error.isOverrun, expression);
    const other = jq.evaluate({ expression: ".a", objects: ['{"a":1}'], asker: "quick", timeMs }, signal);
    await told;
    assert.deepEqual((await other).paths, [[["a"]]]);
  }
});
