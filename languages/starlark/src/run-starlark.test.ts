import assert from "node:assert/strict";
import { test } from "node:test";
import { runStarlark } from "./run-starlark.ts";

const clock = { now: () => 0 };
const never = new AbortController().signal;

test("a script changes the resource list and prints", async () => {
  const source = "ctx.resource_list['items'].append(1)\nprint('done')";
  const input = { name: "script", resourceList: new Map([["items", []]]) };
  const end = await runStarlark(source, input, { signal: never, clock });
  assert.deepEqual(end, { resourceList: new Map([["items", [1n]]]), printed: "done\n" });
});

test("an error of the script comes with its trace and what was printed", async () => {
  const run = runStarlark(
    "print('before')\nfail('no')",
    { name: "s", resourceList: null },
    { signal: never, clock },
  );
  await assert.rejects(run, {
    name: "StarlarkError",
    message: "fail: no",
    printed: "before\n",
    trace: ["s:2:5: in <toplevel>", "<builtin>: in fail"],
  });
});

test("a run that is aborted before it starts does not start", async () => {
  const run = runStarlark("x = 1", { name: "s", resourceList: null }, { signal: AbortSignal.abort(), clock });
  await assert.rejects(run, { name: "AbortError" });
});

test("aborting ends a script that does not end", async () => {
  const limits = { steps: Number.MAX_SAFE_INTEGER };
  const signal = AbortSignal.timeout(300);
  const run = runStarlark("while True: pass", { name: "s", resourceList: null }, { signal, clock, limits });
  await assert.rejects(run, { name: "TimeoutError" });
});

test("recursion is limited in the thread too", async () => {
  const source = "def f(x): return f([f(y) for y in [x]])\nf(1)";
  const run = runStarlark(source, { name: "s", resourceList: null }, { signal: never, clock });
  await assert.rejects(run, { message: "Starlark stack overflow" });
});

test("time and memory are limited", async () => {
  const steps = Number.MAX_SAFE_INTEGER;
  const input = { name: "s", resourceList: null };
  const endless = runStarlark("while True: pass", input, {
    signal: never,
    clock,
    limits: { steps, ms: 300 },
  });
  await assert.rejects(endless, { message: "the script did not end within 300 ms" });
  const greedy = "x = []\nfor i in range(1 << 40): x.append([i, i, i, i])";
  const full = runStarlark(greedy, input, { signal: never, clock, limits: { steps, memoryMb: 16 } });
  await assert.rejects(full, { message: "the script used more than 16 MB of memory" });
});
