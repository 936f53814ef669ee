import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFunction } from "./command-function.ts";

const context = {
  signal: new AbortController().signal,
  clock: { now: () => 0, sleep: () => new Promise<void>(() => undefined) },
  ...{ env: {}, allowNetwork: false, readFile: async () => undefined },
};

test("what a program tells is kept as it is", async () => {
  const told = "v1: Pulling from team/shape\nDigest: sha256:c347\nlooked\n\nagain\n";
  const work = commandFunction(["shape"], async (_argv, stdin) => ({
    exitCode: 0,
    stdout: stdin,
    stderr: told,
  }));
  const end = await work({ items: [], functionConfig: undefined, results: [] }, context);
  assert.deepEqual(end, { exitCode: 0, stderr: told });
});
