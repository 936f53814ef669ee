import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { type Command, type CommandLimits, runCommand } from "./run-command.ts";

const clock: Clock = { now: Date.now, sleep: async (ms, signal) => wait(ms, undefined, { signal }) };
const path = process.env.PATH ?? "";

function sh(script: string, more: Partial<Command & CommandLimits> = {}) {
  const command = { program: "/bin/sh", args: ["-c", script], cwd: "/", env: { PATH: path }, ...more };
  return runCommand(command, { clock, signal: new AbortController().signal, ...more });
}

function failure(check: Partial<CapstanError["failure"]>) {
  return (error: unknown) => {
    assert.ok(error instanceof CapstanError, String(error));
    assert.deepEqual({ ...error.failure, ...check }, error.failure);
    return true;
  };
}

test("gives what the program printed and read from its standard input", async () => {
  const { stdout, stderr } = await sh("cat; echo told >&2", { stdin: "given" });
  assert.equal(stdout.toString(), "given");
  assert.equal(stderr, "told\n");
});

test("passes only the environment it is given", async () => {
  const { stdout } = await sh("env | grep -v -E '^(PWD|SHLVL|_)=' | sort", {
    env: { PATH: path, ONLY: "this" },
  });
  assert.equal(stdout.toString(), `ONLY=this\nPATH=${path}\n`);
});

test("a failure tells command, exit code and what was printed, with hidden directories as a dot", async () => {
  await assert.rejects(
    sh("echo cannot read /tmp/xyz/app/values.yaml >&2; exit 3", { tool: "helm", hide: ["/tmp/xyz"] }),
    failure({ code: "TOOL_FAILED", tool: "helm", exitCode: 3, stderr: "cannot read ./app/values.yaml" }),
  );
  await assert.rejects(
    sh("exit 4", { tool: "helm" }),
    failure({ code: "TOOL_FAILED", tool: "helm", exitCode: 4, stderr: "it printed no error" }),
  );
});

test("a program that is not there says what to install", async () => {
  await assert.rejects(
    sh("", { program: "/nowhere/jsonnet", tool: "jsonnet", installHint: "Install jsonnet" }),
    failure({ code: "TOOL_MISSING", tool: "jsonnet", hint: "Install jsonnet" }),
  );
});

test("a timeout ends the program and what it started, even when they refuse to end", async () => {
  const started = sh("trap '' TERM; (trap '' TERM; sleep 600) & echo $! >&2; wait; sleep 600", {
    timeoutMs: 50,
    graceMs: 20,
  });
  await assert.rejects(started, failure({ code: "TIMED_OUT", afterMs: 50 }));
});

test("an abort ends the program and rejects with its reason", async () => {
  const controller = new AbortController();
  const running = sh("sleep 600", { signal: controller.signal });
  controller.abort(new Error("not wanted any more"));
  await assert.rejects(running, /not wanted any more/);
});

test("output over the limit ends the program", async () => {
  await assert.rejects(
    sh("yes", { maxStdoutBytes: 1000 }),
    failure({ code: "OUTPUT_TOO_LARGE", limitBytes: 1000 }),
  );
});

test("what a program leaves running ends with it, so that its open output holds nobody up", async () => {
  const { stdout } = await sh("sleep 600 & echo done");
  assert.equal(stdout.toString(), "done\n");
});
