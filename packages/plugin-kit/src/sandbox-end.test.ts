import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock as clock } from "@capstan/flow";
import { probeIsolation } from "./isolation/probe-isolation.ts";
import { sandboxArguments } from "./isolation/sandbox.ts";
import { visiblePrograms } from "./isolation/visible-programs.ts";
import { infoArguments } from "./sandbox-end.ts";
import { Spawner } from "./spawner/spawner.ts";
import { ownChildren, type ProgramStarter } from "./start-program.ts";

const searchPath = process.env.PATH ?? "";
const { sandbox, whyNoSandbox } = await probeIsolation(searchPath, clock, AbortSignal.timeout(100_000));
const noSetsid = spawnSync("setsid", ["--version"]).error ? "setsid is not installed" : undefined;
/** Enough of them that the kernel needs a while to end them, at a time when bubblewrap has ended. */
const daemons = 60;
const turns = 5;

for (const [name, open] of [
  [
    "a child of its own",
    async () => ({ starter: ownChildren as ProgramStarter, end: () => Promise.resolve() }),
  ],
  ["the small process", openSpawner],
] as const)
  test(`a sandbox of ${name} has ended once nothing in it runs any more`, {
    skip: whyNoSandbox ?? noSetsid ?? false,
  }, async () => {
    const folder = await mkdtemp("/var/tmp/capstan-end-");
    await chmod(folder, 0o777);
    const { starter, end } = await open(folder);
    try {
      for (let turn = 0; turn < turns; turn++) {
        const file = join(folder, `written-${turn}`);
        await runDaemons(starter, folder, file);
        assert.deepEqual(processesWith(file), []);
      }
    } finally {
      await end();
      await rm(folder, { recursive: true });
    }
  });

async function openSpawner(folder: string): Promise<{ starter: ProgramStarter; end: () => Promise<void> }> {
  const starter = await Spawner.open(join(folder, "pipes"), searchPath);
  return { starter, end: () => starter[Symbol.asyncDispose]() };
}

/** Those that have not ended: one that has has no command line. */
function processesWith(word: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(word));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended since the list was made
  }
}

/** Until the command itself has ended, of which they are no children. */
async function runDaemons(starter: ProgramStarter, folder: string, file: string): Promise<void> {
  assert.ok(sandbox);
  const readable = visiblePrograms(searchPath);
  const view = { cwd: folder, readable, writable: [folder], network: false };
  const [program = "", ...args] = sandboxArguments(view, sandbox);
  const daemon = `(setsid sh -c 'while :; do echo late >> ${file}; done' >/dev/null 2>&1 &)`;
  const script = `for i in $(seq ${daemons}); do ${daemon}; done; until test -s ${file}; do :; done`;
  const started = await starter.start({
    ...{ program, args: [...infoArguments, ...args, "sh", "-c", script], cwd: "/" },
    ...{ env: { PATH: searchPath }, isSandbox: true },
  });
  let told = "";
  started.stdout.resume();
  started.stderr.on("data", (chunk: Buffer) => {
    told += chunk.toString();
  });
  const { exitCode } = await started.exited;
  assert.equal(exitCode, 0, told);
}
