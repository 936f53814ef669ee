import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { RunProgram } from "./command-function.ts";
import {
  type ContainerCall,
  type ContainerRuntime,
  containerCommand,
  containerFunction,
  readRuntime,
} from "./container-function.ts";

const context = {
  signal: new AbortController().signal,
  clock: { now: () => 0, sleep: () => new Promise<void>(() => undefined) },
  ...{ env: {}, allowNetwork: false, readFile: async () => undefined },
};
const list = () => ({ items: [], functionConfig: undefined, results: [] });
const image = "example.com/shape:v1";

/** Programs by the names of the runtimes that note how they were called. */
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-runtimes-"));
  for (const name of ["docker", "podman"])
    await writeFile(join(folder, name), `#!/bin/sh\necho "$0 $*" >> ${folder}/calls\nexit 1\n`, {
      mode: 0o755,
    });
});
after(() => rm(folder, { recursive: true, force: true }));

const callOf = (runtime: ContainerRuntime): ContainerCall => ({
  ...{ runtime, image, allowNetwork: false, memory: { shown: "", bytes: undefined } },
  env: { PATH: `${folder}:${process.env.PATH}` },
});

const saying =
  (stderr: string): RunProgram =>
  async (_argv, stdin) => ({ exitCode: 0, stdout: stdin, stderr });

const pulled: readonly (readonly [ContainerRuntime, string])[] = [
  [
    "docker",
    "Unable to find image 'shape:v1' locally\nv1: Pulling from team/shape\naafbf7df3ddf: Pull complete\nDigest: sha256:c347\nStatus: Downloaded newer image for shape:v1\n",
  ],
  [
    "podman",
    `Trying to pull example.com/shape:v1...\nGetting image source signatures\nCopying blob sha256:aafb\nCopying config sha256:17ce\nWriting manifest to image destination\nStoring signatures\n${"0".repeat(64)}\n`,
  ],
];

for (const [runtime, told] of pulled)
  test(`what ${runtime} tells while it pulls is not the function's`, async () => {
    const call = callOf(runtime);
    const end = await containerFunction(call, saying(`${told}looked\r\n\nagain: Waiting!\n`))(
      list(),
      context,
    );
    const own = runtime === "docker" ? "looked\n" : "looked\n\nagain: Waiting!";
    assert.deepEqual(end, { exitCode: 0, stderr: own });
    assert.equal(await containerFunction(call, saying(told))(list(), context), undefined);
  });

test("a container has no network and nobody's user unless it is told otherwise", () => {
  const usual = containerCommand("one", callOf("docker"));
  const safety = ["--user", "nobody", "--security-opt=no-new-privileges", "--pull", "missing"];
  const begin = ["run", "--rm", "-i", "--name", "one", "--network"];
  assert.deepEqual(usual, ["docker", ...begin, "none", ...safety, "--", image]);
  const containers = {
    pull: "never" as const,
    mounts: ["type=bind,src=/a,dst=/b", "type=tmpfs,source=c,target=/d,rw=true"],
    env: ["HERE", "A=b"],
    user: "1:2",
  };
  const call = { ...callOf("podman"), allowNetwork: true, memory: { shown: "1Ki", bytes: 1024 }, containers };
  assert.deepEqual(containerCommand("one", call), [
    ...["podman", ...begin, "host", "--user", "1:2", "--security-opt=no-new-privileges", "--pull", "never"],
    ...["--memory", "1024"],
    ...["--mount", "type=bind,source=/a,target=/b,readonly", "--mount", "type=tmpfs,source=c,target=/d"],
    ...["-e", "HERE", "-e", "A=b", "--", image],
  ]);
  const wrong = { ...call, containers: { ...containers, mounts: ["/a:/b"] } };
  assert.throws(() => containerCommand("one", wrong), /must be type=bind/);
});

test("a container whose run is broken off is killed and removed by its name", async () => {
  let name = "";
  const broken: RunProgram = async (argv) => {
    name = argv[argv.indexOf("--name") + 1] ?? "";
    throw new Error("broken off");
  };
  await assert.rejects(
    async () => containerFunction(callOf("podman"), broken)(list(), context),
    /broken off/,
  );
  const calls = await readFile(join(folder, "calls"), "utf8");
  assert.match(name, /^capstan-kpt-/);
  const podman = join(folder, "podman");
  assert.equal(calls, `${podman} kill ${name}\n${podman} rm --force ${name}\n`);
});

test("a runtime that is none, or not installed, is told with what to do", async () => {
  assert.equal(readRuntime("Podman"), "podman");
  assert.throws(
    () => readRuntime("lxc"),
    /^Error: unsupported runtime: "lxc" the runtime must be one of \[docker podman nerdctl\]$/,
  );
  const call = { ...callOf("nerdctl"), env: { PATH: folder } };
  const run = async () => containerFunction(call, saying(""))(list(), context);
  await assert.rejects(run, /nerdctl.*KRM_FN_RUNTIME/s);
});
