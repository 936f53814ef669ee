import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFunction, containerFunction, type RunProgram } from "./command-function.ts";

const context = {
  signal: new AbortController().signal,
  clock: { now: () => 0, sleep: () => new Promise<void>(() => undefined) },
  ...{ env: {}, allowNetwork: false, readFile: async () => undefined },
};
const told =
  "Unable to find image 'shape:v1' locally\nv1: Pulling from team/shape\naafbf7df3ddf: Pull complete\nDigest: sha256:c347\nStatus: Downloaded newer image for shape:v1\nlooked\n\nagain\n";

const saying =
  (stderr: string): RunProgram =>
  async (_argv, stdin) => ({ exitCode: 0, stdout: stdin, stderr });

const list = () => ({ items: [], functionConfig: undefined, results: [] });

test("what a program tells is kept as it is", async () => {
  const end = await commandFunction(["shape"], saying(told))(list(), context);
  assert.deepEqual(end, { exitCode: 0, stderr: told });
});

test("what a container runtime tells while it pulls is not the function's", async () => {
  const end = await containerFunction(["docker"], saying(told))(list(), context);
  assert.deepEqual(end, { exitCode: 0, stderr: "looked\n\nagain" });
  const quiet = await containerFunction(["docker"], saying(told.slice(0, told.indexOf("looked"))))(
    list(),
    context,
  );
  assert.equal(quiet, undefined);
});
