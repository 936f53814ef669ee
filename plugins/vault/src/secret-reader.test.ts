import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { SecretReader } from "./secret-reader.ts";

test("a render asks for 16 secrets at once, and each once", async () => {
  const running = { now: 0, most: 0, all: 0 };
  const read = async () => {
    running.all += 1;
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    await turn();
    running.now -= 1;
    return { password: "one" };
  };
  const reader = new SecretReader({ read }, AbortSignal.timeout(30_000));
  const paths = Array.from({ length: 200 }, (_, at) => `secret/data/${at % 100}`);
  const values = await Promise.all(
    paths.map((path) => reader.read({ path, key: "password", isWhole: false })),
  );
  assert.deepEqual(new Set(values), new Set(["one"]));
  assert.deepEqual(running, { now: 0, most: 16, all: 100 });
});

test("a failure frees its turn, and what waits for one is given up with the render", async () => {
  const stopping = new AbortController();
  let asked = 0;
  const read = async ({ path }: { path: string }) => {
    asked += 1;
    await turn();
    if (path === "last") stopping.abort(new Error("given up"));
    throw new Error(`no ${path}`);
  };
  const reader = new SecretReader({ read }, stopping.signal);
  const ask = (path: string) => reader.read({ path, key: "password", isWhole: false }).catch(String);
  const first = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(`${at}`)));
  assert.equal(first[39], "Error: no 39");
  const rest = await Promise.all(["last", ...Array.from({ length: 40 }, (_, at) => `rest ${at}`)].map(ask));
  assert.equal(rest.at(-1), "Error: given up");
  assert.ok(asked < 81);
});
