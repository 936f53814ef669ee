import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { endProcessesNaming, eventually, processesNaming } from "@capstan/testkit";

const top = join(import.meta.dirname, "..", "..");
const byItself = [process.execPath, join(top, "bin", "capstan.js"), "up"] as const;
const byNpm = ["npm", "start", "--"] as const;
const limitMs = 120_000;
const lacksProc = process.platform !== "linux" && "it reads /proc";

/** Sends a signal as soon as the start has said a text. */
async function stopAt(
  said: string,
  signal: NodeJS.Signals,
  [program = "", ...args]: readonly string[] = byItself,
) {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-stop-"));
  const words = ["--data", dataDir, "--port", "0", "--cluster-port", "0"];
  const child = spawn(program, [...args, ...words], { cwd: top, stdio: ["ignore", "pipe", "pipe"] });
  try {
    let out = "";
    let err = "";
    let isSent = false;
    child.stdout.on("data", (piece) => {
      out += piece;
      if (isSent || !out.includes(said)) return;
      isSent = true;
      child.kill(signal);
    });
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    const [code, by] = await once(child, "exit", { signal: AbortSignal.timeout(limitMs) });
    let left = "";
    await eventually(
      async () => {
        left = (await processesNaming(dataDir)).map(({ pid, line }) => `${pid} ${line}`).join("; ");
        return left === "";
      },
      { signal: AbortSignal.timeout(limitMs), describe: () => `still there: ${left}` },
    );
    return { end: by ?? code, out, err };
  } finally {
    await endProcessesNaming(dataDir);
    // What stayed would hold them open, and this file with them.
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    await rm(dataDir, { recursive: true, force: true });
  }
}

for (const [signal, said] of [
  ["SIGINT", "is starting"],
  ["SIGTERM", "ready after"],
  ["SIGINT", "created the sample application"],
  ["SIGHUP", "is starting"],
] as const)
  test(`${signal} at "${said}" ends up well, and all it has started`, { skip: lacksProc }, async () => {
    const { end, out, err } = await stopAt(said, signal);
    assert.equal(end, 0, err);
    assert.match(out, /stopping …/);
    assert.doesNotMatch(err, /Error|at .*\.ts:\d+/);
  });

for (const said of ["is starting", "ready after"])
  test(`kill -9 at "${said}" leaves nothing that runs`, { skip: lacksProc }, async () => {
    assert.equal((await stopAt(said, "SIGKILL")).end, "SIGKILL");
  });

test("SIGTERM to npm start, of which npm tells its shell alone, ends all that was started", {
  skip: lacksProc,
}, async () => {
  const { out } = await stopAt("ready after", "SIGTERM", byNpm);
  assert.match(out, /ready after/);
});
