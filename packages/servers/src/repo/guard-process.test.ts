import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { endingSignals } from "./guard-process.ts";

const module = pathToFileURL(join(import.meta.dirname, "guard-process.ts")).href;

/** What ends a process with these limits that does this; without one it is out of reach. */
async function endOf(given: { memoryBytes?: number; stallMs?: number }, body: string): Promise<unknown> {
  const limits = JSON.stringify({ memoryBytes: 8 * 2 ** 30, stallMs: 600_000, ...given });
  const code = `const { guardProcess } = await import("${module}"); const guard = guardProcess(${limits}); ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const [exitCode, signal] = await once(child, "close");
  return signal ?? (said || exitCode);
}

const little = { memoryBytes: 300 * 2 ** 20 };
const soon = { stallMs: 300 };

// They mostly wait, each for a process of its own.
describe("a process with limits", { concurrency: true }, () => {
  test("a process that takes too much memory is ended while it is busy", async () => {
    const body = "const all = []; for (;;) all.push(Buffer.alloc(1e6, 1));";
    assert.equal(await endOf(little, body), endingSignals.memory);
  });

  test("a process that no longer answers is ended", async () => {
    assert.equal(await endOf(soon, "for (;;);"), endingSignals.stall);
  });

  test("one that waits is left alone, and ends when it has nothing to do", async () => {
    assert.equal(await endOf(soon, "await new Promise((resolve) => setTimeout(resolve, 900));"), 0);
  });

  test("a program that takes too much memory is ended by itself", async () => {
    const program = `const all = []; for (;;) all.push(Buffer.alloc(1e6, 1));`;
    const body = `const { spawnSync, spawn } = await import("node:child_process");
      const child = spawn(process.execPath, ["-e", ${JSON.stringify(program)}]);
      await new Promise((resolve) => child.once("exit", resolve));`;
    assert.match(String(await endOf(little, body)), /took more memory than --repo-server-memory-limit/);
  });

  test("a guard that rests is awake for the call that takes too much", async () => {
    const rest = "await new Promise((resolve) => setTimeout(resolve, 5_000)); guard.underWay(1);";
    const growth = "const all = []; for (;;) all.push(Buffer.alloc(1e6, 1));";
    const ends = await Promise.all([endOf(soon, `${rest} for (;;);`), endOf(little, `${rest} ${growth}`)]);
    assert.deepEqual(ends, [endingSignals.stall, endingSignals.memory]);
  });
});
