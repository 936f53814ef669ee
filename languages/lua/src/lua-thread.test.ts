import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Clock } from "@capstan/flow";
import { ScriptError } from "@capstan/script-thread";
import { LuaThread } from "./lua-thread.ts";

const clock: Clock = { now: () => Date.now(), sleep: (ms, signal) => wait(ms, undefined, { signal }) };
/** Nobody is ended by a busy machine. */
const timeMs = 30_000;
const lua = new LuaThread({ clock, timeMs });
const { signal } = new AbortController();

after(() => lua[Symbol.asyncDispose]());

function run(script: string, { object = {}, openLibs = false, parameters = {}, asker = "a" } = {}) {
  return lua.run({ script, object, openLibs, parameters, asker }, signal);
}

async function failure(work: Promise<unknown>): Promise<ScriptError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ScriptError, String(error));
    return error;
  }
  return assert.fail("it did not fail");
}

test("an object is read, and what the script gives is JSON", async () => {
  const object = {
    a: [1, null, "zwei", true, { deep: 2 ** 53 + 2 }],
    long: 9007199254740993n,
    half: 0.5,
    none: null,
    ü: "ä€😀\u0000x",
  };
  const given = await run("return { obj.a, obj.long, obj.half, obj.none == nil, obj['ü'], {}, #obj.a }", {
    object,
  });
  assert.deepEqual(given, [
    [1, "zwei", true, { deep: 2 ** 53 + 2 }],
    9007199254740993n,
    0.5,
    true,
    "ä€😀\u0000x",
    [],
    4,
  ]);
  assert.equal(await run("local unused = 1"), undefined);
  assert.deepEqual(await run("return actionParams", { parameters: { replicas: "3" } }), { replicas: "3" });
  const list = await run("local l = {} for i = 20, 1, -1 do l[i] = i end return l");
  assert.deepEqual(
    list,
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
});

test("Lua 5.1's names are there", async () => {
  const script =
    "return { table.getn({1, 2}), unpack({7}), tostring(10 / 2), loadstring('return 3')(), table.maxn({[4] = 1}) }";
  assert.deepEqual(await run(script), [2, 7, "5", 3, 4]);
});

test("without useOpenLibs there are no texts, and nobody gets files, programs or the environment", async () => {
  for (const name of [
    "string",
    "os",
    "io",
    "debug",
    "math",
    "coroutine",
    "dofile",
    "loadfile",
    "warn",
    "utf8",
  ])
    assert.equal(await run(`return ${name} == nil`), true, name);
  for (const name of [
    "io",
    "debug",
    "dofile",
    "loadfile",
    "os.execute",
    "os.remove",
    "os.exit",
    "os.tmpname",
    "package.loadlib",
    "string.dump.x",
  ])
    assert.notEqual(
      await run(`local ok, v = pcall(function() return ${name} ~= nil end) return ok and v`, {
        openLibs: true,
      }),
      true,
      name,
    );
  assert.equal(await run("return require('os').getenv == nil"), true);
  assert.equal(await run("return os.getenv('PATH') == nil", { openLibs: true }), true);
  assert.match(
    String(await run("return require('os').date('!%Y-%m-%dT%XZ')")),
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  );
  assert.match((await failure(run("return require('io')"))).message, /module io not found/);
  assert.match((await failure(run("return load('\\27Lua')()"))).message, /nil value/);
});

test("nothing of one run reaches the next", async () => {
  await run("left = obj table.insert = nil string.format = nil _G.pcall = nil package.loaded.os.time = nil", {
    object: { a: 1 },
    openLibs: true,
  });
  await run("load('other = 1')()", { openLibs: true });
  const script =
    "return { left == nil, other == nil, pcall ~= nil, table.insert ~= nil, string.format ~= nil, ('x').format ~= nil }";
  assert.deepEqual(await run(script, { openLibs: true }), [true, true, true, true, true, true]);
  assert.match(
    (await failure(run("getmetatable('').__index = nil", { openLibs: true }))).message,
    /index a string value|nil value/,
  );
});

test("a mistake is told with its line, what is no JSON in gopher-json's words", async () => {
  const cases: [string, RegExp][] = [
    ["\nreturn obj.a.b", /^<string>:2: attempt to index a nil value \(field 'a'\)$/],
    ["return = 1", /^<string>:1: unexpected symbol/],
    ["error({})", /^the script failed with a value that is no text$/],
    ["error('no', 0)", /^no$/],
    ["return print", /^cannot encode function to JSON$/],
    ["local t = {} t.t = t return t", /^cannot encode recursively nested tables to JSON$/],
    ["return { 1, nil, 3 }", /^cannot encode sparse array$/],
    ["return { 1, a = 2 }", /^cannot encode mixed or invalid key types$/],
    ["return 0/0", /^cannot encode NaN to JSON$/],
    ["local t = {} local r = t for i = 1, 300 do t.t = {} t = t.t end return r", /more than 200 levels deep/],
    ["local t = {} for i = 1, 1e6 do t[i] = i end return t", /gave more than may be read/],
    [
      "local s = 'x' for i = 1, 22 do s = s .. s end return { s, s, s }", // 4 MB that Lua has once
      /gave more than may be read/,
    ],
  ];
  for (const [script, message] of cases) assert.match((await failure(run(script))).message, message, script);
});

test("what takes memory without end is refused it, and the next script runs", async () => {
  await using small = new LuaThread({ clock, timeMs, memoryBytes: 2_000_000 });
  for (const script of [
    "local t = {} for i = 1, 1e9 do t[i] = {} end",
    "return ('x'):rep(1e9)",
    "local s = 'x' while true do s = s .. s end",
    "local function f() return 1 + f() end return f()",
  ]) {
    const { reason } = await failure(small.run({ script, openLibs: true, object: {}, asker: "a" }, signal));
    assert.equal(reason, "memory", script);
    assert.equal(await small.run({ script: "return 1", openLibs: true, object: {}, asker: "a" }, signal), 1);
  }
  const object = { large: Array.from({ length: 100_000 }, (_, at) => ({ at })) };
  const tooLarge = await failure(
    small.run({ script: "return 1", openLibs: true, object, asker: "a" }, signal),
  );
  assert.equal(tooLarge.reason, "memory");
  assert.equal(await small.run({ script: "return 1", openLibs: true, object: {}, asker: "a" }, signal), 1);
});

test("an object that is nested too deep is refused", async () => {
  let object: object = {};
  for (let level = 0; level < 300; level += 1) object = level % 2 ? [object] : { object };
  assert.match((await failure(run("return 1", { object }))).message, /nested more than 200 levels/);
  assert.equal(await run("return 1"), 1);
});

test("nothing of a script is played after it ended", async () => {
  const script = "setmetatable({}, { __gc = function() while true do end end }) return 1";
  await using short = new LuaThread({ clock, timeMs: 2_000 });
  assert.equal(await short.run({ script, openLibs: false, object: {}, asker: "a" }, signal), 1);
  const next = "for i = 1, 1e6 do local t = { i } end return 2";
  assert.equal(await short.run({ script: next, openLibs: false, object: {}, asker: "b" }, signal), 2);
});

test("scripts that were read earlier leave room for further ones", async () => {
  await using small = new LuaThread({ clock, timeMs, memoryBytes: 4_000_000 });
  const body = Array.from({ length: 2_000 }, (_, at) => `x[${at + 0.5}] = 'name ${at}'`).join(" ");
  for (let at = 0; at < 60; at += 1) {
    const script = `local x = {} ${body} return ${at}`;
    assert.equal(await small.run({ script, openLibs: false, object: {}, asker: "a" }, signal), at);
  }
});

test("what does not end is ended, pcall or not, and the others that wait are served", async () => {
  await using short = new LuaThread({ clock, timeMs: 300 });
  const loops = [
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "return string.find(('a'):rep(30000), ('.-'):rep(40) .. 'b')",
  ];
  for (const script of loops) {
    const late = failure(short.run({ script, openLibs: true, object: {}, asker: "slow" }, signal));
    const other = short.run({ script: "return 2", openLibs: true, object: {}, asker: "quick" }, signal);
    assert.deepEqual([(await late).reason, await other], ["time", 2], script);
  }
});

test("a thread that is gone while nothing is asked of it is started anew", async () => {
  const made = once(process, "worker");
  await using short = new LuaThread({ clock, timeMs: 3_000 });
  const request = { script: "return 3", openLibs: false, object: {}, asker: "a" };
  assert.equal(await short.run(request, signal), 3);
  const [worker]: unknown[] = await made;
  assert.ok(worker instanceof Worker);
  await worker.terminate();
  assert.equal(await short.run(request, signal), 3);
});

test("who waits may go, and the end tells everybody", async () => {
  const one = new LuaThread({ clock });
  const going = new AbortController();
  const gone = one.run({ script: "return 1", openLibs: false, object: {}, asker: "a" }, going.signal);
  going.abort(new Error("gone"));
  await assert.rejects(gone, /gone/);
  const waiting = one.run({ script: "while true do end", openLibs: false, object: {}, asker: "a" }, signal);
  const told = assert.rejects(waiting, /not run any more/);
  await one[Symbol.asyncDispose]();
  await told;
});
