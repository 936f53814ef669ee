import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock as clock } from "@capstan/flow";
import { runCommand, runToEnd } from "../run-command.ts";
import { Spawner } from "./spawner.ts";

const path = process.env.PATH ?? "";

async function openWorld() {
  const directory = await mkdtemp(join(tmpdir(), "capstan-spawner-"));
  const starter = await Spawner.open(directory, path);
  const command = (script: string, stdin?: string) => ({
    ...{ program: "sh", args: ["-c", script], cwd: "/", env: { PATH: path } },
    ...(stdin === undefined ? {} : { stdin }),
  });
  const limits = { clock, starter, signal: AbortSignal.timeout(100_000) };
  return {
    directory,
    prepare: () => starter.prepare(),
    run: (script: string, stdin?: string) => runCommand(command(script, stdin), limits),
    runToEnd: (script: string) => runToEnd(command(script), limits),
    start: (script: string) => starter.start(command(script)),
    startWaiting: (script: string) => starter.startWaiting(command(script)),
    runProgram: (program: string) => runCommand({ ...command(""), program }, limits),
    async [Symbol.asyncDispose]() {
      await starter[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Of the first that is printed. */
async function readNumbers(stdout: Readable): Promise<number[]> {
  const [chunk]: unknown[] = await once(stdout, "data");
  return String(chunk).trim().split(" ").map(Number);
}

async function hasEnded(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1_000; tries++) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone");
    if (/^gone$|\) Z /.test(stat)) return true;
    await sleep(20);
  }
  return false;
}

test("prepared, it has pipes before any program is started", async () => {
  await using world = await openWorld();
  world.prepare();
  let pipes: string[] = [];
  for (let tries = 0; pipes.length === 0 && tries < 1_000; tries++) {
    await sleep(20);
    pipes = await readdir(world.directory);
  }
  assert.notEqual(pipes.length, 0);
  assert.equal((await world.run("cat", "given")).stdout.toString(), "given");
});

test("programs get pipes for input, output and errors, each its own", async () => {
  await using world = await openWorld();
  const kinds = "for fd in 0 1 2; do test -p /dev/fd/$fd || echo no pipe: $fd; done; cat; echo told >&2";
  const runs = Array.from({ length: 40 }, (_, index) => world.run(kinds, `given ${index}`));
  const answers = await Promise.all(runs);
  assert.deepEqual(
    answers.map(({ stdout, stderr }) => [stdout.toString(), stderr]),
    answers.map((_, index) => [`given ${index}`, "told\n"]),
  );
});

test("without input a program reads an end; one that leaves its input unread is no failure", async () => {
  await using world = await openWorld();
  assert.equal((await world.run("cat; echo end")).stdout.toString(), "end\n");
  assert.equal((await world.run("echo unread", "x".repeat(2 ** 20))).stdout.toString(), "unread\n");
});

test("exit codes and signals are told, and what has no program is a tool that is missing", async () => {
  await using world = await openWorld();
  assert.equal((await world.runToEnd("exit 7")).exitCode, 7);
  assert.equal((await world.runToEnd("kill -TERM $$")).killedBy, "SIGTERM");
  await assert.rejects(world.runProgram("no-such-program"), {
    failure: { code: "TOOL_MISSING", tool: "no-such-program" },
  });
  assert.equal((await world.run("echo goes on")).stdout.toString(), "goes on\n");
});

test("no pipe of a program that has started has a name left", async () => {
  await using world = await openWorld();
  const { stdout } = await world.run("read line; readlink /dev/fd/1", "the names are gone\n");
  assert.match(stdout.toString(), /\(deleted\)/);
  const names = await readdir(world.directory);
  await world.run("true");
  assert.equal((await readdir(world.directory)).length, names.length - 2);
});

test("a killed spawner ends its programs, and the next program has another one", async () => {
  await using world = await openWorld();
  const { stdout, exited } = await world.start("sleep 600 & echo $PPID $!; wait");
  const [spawner = 0, sleeping = 0] = await readNumbers(stdout);
  process.kill(spawner, "SIGKILL");
  assert.deepEqual(await exited, { exitCode: null, killedBy: "SIGKILL" });
  assert.ok(await hasEnded(sleeping));
  const next = Number((await world.run("echo $PPID")).stdout.toString());
  assert.notEqual(next, spawner);
});

test("what a program has put into a session of its own ends when the program is ended", async () => {
  await using world = await openWorld();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const { stdout, exited, kill } = await world.start("setsid sleep 600 & echo $!; wait");
    const [apart = 0] = await readNumbers(stdout);
    kill(signal);
    await exited;
    assert.ok(await hasEnded(apart), signal);
  }
});

test("a program waits for its input as long as it takes", async () => {
  await using world = await openWorld();
  const { stdout, give, exited } = await world.startWaiting("read line; echo got $line");
  give("it at last\n");
  assert.equal(String((await once(stdout, "data"))[0]), "got it at last\n");
  assert.equal((await exited).exitCode, 0);
});

test("closing it ends what still runs", async () => {
  let sleeping: number[] = [];
  {
    await using world = await openWorld();
    const { stdout } = await world.start("echo $$; sleep 600");
    sleeping = await readNumbers(stdout);
  }
  assert.ok(await hasEnded(sleeping[0] ?? 0));
});
