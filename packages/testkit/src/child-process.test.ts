import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { eventually, startProcess } from "./index.ts";

const isRunning = (pid: number): boolean => {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, "utf8"));
};

test("a program ends with its test, also by its own id", async () => {
  let pid: number;
  {
    await using sleeper = startProcess("sleep", ["600"]);
    pid = sleeper.pid;
    assert.equal(sleeper.ended(), undefined);
  }
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("a program that is not there says so", async () => {
  await using absent = startProcess("/nonexistent/program", []);
  const signal = AbortSignal.timeout(100_000);
  const ended = () => (absent.ended() === undefined ? undefined : true);
  await eventually(ended, { signal, describe: () => "it did not end" });
  assert.match(absent.output(), /\/nonexistent\/program/);
});

test("a test that dies by kill -9 takes its programs along", {
  skip: process.platform !== "linux" && "only Linux tells a child of its parent's death",
}, async () => {
  const script = `
    const { startProcess } = await import(${JSON.stringify(import.meta.resolve("./index.ts"))});
    console.log(startProcess("sleep", ["600"]).pid);
    setInterval(() => {}, 1000);`;
  const dying = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  const [line] = await once(dying.stdout, "data");
  const pid = Number(line);
  assert.ok(isRunning(pid));
  dying.kill("SIGKILL");
  const signal = AbortSignal.timeout(100_000);
  const gone = () => (isRunning(pid) ? undefined : true);
  await eventually(gone, { signal, describe: () => `process ${pid} outlived its test` });
});
