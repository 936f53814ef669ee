import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock as clock } from "@capstan/flow";
import { log } from "../server/plugin-world.ts";
import { Spawner } from "../spawner/spawner.ts";
import { CommandFailed } from "./command-failed.ts";
import { runPluginCommand } from "./run-plugin-command.ts";

async function runScript(
  script: string,
  { abortOn, ...more }: { abortOn?: string; execTimeoutMs?: number } = {},
) {
  const root = await mkdtemp(join(tmpdir(), "capstan-command-"));
  const over = new AbortController();
  const ends: Promise<unknown>[] = [];
  const run = {
    root,
    scratch: root,
    base: root,
    path: "",
    refs: {},
    env: {},
    signal: over.signal,
    log,
    onStderr: (text: string) => {
      if (abortOn !== undefined && text.includes(abortOn)) over.abort(new Error("deadline"));
    },
    keepUntil: (ended: Promise<unknown>) => void ends.push(ended),
  };
  const limits = { maxOutputBytes: 100_000, maxStderrBytes: 1_000, env: { PATH: process.env.PATH ?? "" } };
  let hasEnded = false;
  await using starter = await Spawner.open(join(root, "pipes"), process.env.PATH ?? "");
  try {
    return await runPluginCommand({ command: ["sh", "-c"], args: [script] }, run, {
      clock,
      ...limits,
      ...more,
      starter,
      isolation: { isRoot: false },
      rules: { network: true, mustStayOff: false },
    });
  } finally {
    const ended = Promise.allSettled(ends).then(() => {
      hasEnded = true;
    });
    if (abortOn !== undefined) assert.equal(hasEnded, false);
    await ended;
    await rm(root, { recursive: true });
  }
}

test("standard output and error can be opened by their names, as pipes", async () => {
  const script =
    "echo one; echo two > /dev/stdout; echo three | tee /dev/stderr; test -p /dev/stderr; echo $?; cat";
  assert.equal(await runScript(script), "one\ntwo\nthree\n0");
});

test("one newline of the output is trimmed", async () => {
  assert.equal(await runScript("printf 'a\\n\\n'"), "a\n");
});

test("a command that ignores SIGTERM does not hold the answer up", async () => {
  await assert.rejects(runScript("trap '' TERM; echo ready >&2; sleep 1; sleep 1", { abortOn: "ready" }), {
    name: "CommandFailed",
    message: /failed signal: killed: the caller's deadline passed/,
  });
});

test("a flood ends at the limit", async () => {
  await assert.rejects(runScript("yes"), { code: "OUTPUT_TOO_LARGE" });
});

test("much on standard error is cut", async () => {
  await assert.rejects(runScript("yes error | head -c 50000 >&2; exit 1"), (error) => {
    assert.ok(error instanceof CommandFailed);
    assert.ok(error.stderr.length <= 1_000);
    return true;
  });
});

test("ARGOCD_EXEC_TIMEOUT ends a command", async () => {
  await assert.rejects(runScript("sleep 60", { execTimeoutMs: 50 }), { code: "TIMED_OUT" });
});

test("the work directory is shown as a dot", async () => {
  await assert.rejects(runScript('echo "$PWD/x" >&2; exit 1'), { message: /: \.\/x$/ });
});
