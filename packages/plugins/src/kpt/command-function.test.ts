import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFunction, containerCommand, containerFunction, type RunProgram } from "./command-function.ts";

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

test("a container has no network and nobody's user unless it is told otherwise", () => {
  const usual = containerCommand("docker", "shape:v1", { allowNetwork: false });
  const safety = ["--user", "nobody", "--security-opt=no-new-privileges", "--pull", "missing"];
  assert.deepEqual(usual, ["docker", "run", "--rm", "-i", "--network", "none", ...safety, "shape:v1"]);
  const containers = {
    pull: "never" as const,
    mounts: ["type=bind,src=/a,dst=/b", "type=tmpfs,source=c,target=/d,rw=true"],
    env: ["HERE", "A=b"],
    user: "1:2",
  };
  const told = containerCommand("podman", "shape:v1", { allowNetwork: true, containers });
  assert.deepEqual(told.slice(4), [
    ...["--network", "host", "--user", "1:2", "--security-opt=no-new-privileges", "--pull", "never"],
    ...["--mount", "type=bind,source=/a,target=/b,readonly", "--mount", "type=tmpfs,source=c,target=/d"],
    ...["-e", "HERE", "-e", "A=b", "shape:v1"],
  ]);
  const wrong = { ...containers, mounts: ["/a:/b"] };
  assert.throws(
    () => containerCommand("podman", "shape:v1", { allowNetwork: true, containers: wrong }),
    /must be type=bind/,
  );
});
