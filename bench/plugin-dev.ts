/**
 * What somebody who writes a plugin waits for: the start of `plugin dev`, from a save to its diff, and `plugin test` for
 * one case, for a plugin of each kind. Beside them what two empty programs of Node take, one after the other: the
 * command and the plugin's own program are two.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { programFlags } from "@capstan/testkit/program-flags";
import { ownCost } from "./process-cost.ts";
import { printFigures } from "./report.ts";

const { values } = programFlags({ options: { runs: { type: "string" } } });
const runs = Number(values.runs ?? 7);
const capstan = fileURLToPath(new URL("../bin/capstan.js", import.meta.url));
/** After the terminal is quiet for so long a save is one by itself. */
const restMs = 400;

interface Spent {
  wallMs: number;
  cpuMs: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/** With the time of all programs that it starts and waits for. */
async function costOfRun(args: readonly string[]): Promise<Spent> {
  const childSeconds = (): number => {
    const { user, system } = process.cpuUsage();
    return ownCost(process.pid).cpuSeconds - (user + system) / 1e6;
  };
  const before = childSeconds();
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args.join(" ")} ends with ${code}`);
  return { wallMs: performance.now() - started, cpuMs: (childSeconds() - before) * 1_000 };
}

async function medianOf(measure: () => Promise<Spent>): Promise<Spent> {
  await measure();
  const all: Spent[] = [];
  for (let run = 0; run < runs; run += 1) all.push(await measure());
  return {
    wallMs: median(all.map(({ wallMs }) => wallMs)),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
  };
}

async function emptyPrograms(): Promise<Spent> {
  const each = [await costOfRun(["--eval", "0"]), await costOfRun(["--eval", "0"])];
  return {
    wallMs: each.reduce((sum, { wallMs }) => sum + wallMs, 0),
    cpuMs: each.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
}

/** A line that says that a render is over. */
const isOver = (line: string): boolean => /^[✓✕] /.test(line);

async function saveToDiff(folder: string, source: string, file: string): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    [capstan, "plugin", "dev", folder, "--source", source],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  try {
    if (!child.stdout) throw new Error("no standard output");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const untilOver = async (): Promise<void> => {
      for (let next = await lines.next(); !next.done; next = await lines.next())
        if (isOver(next.value)) return;
      throw new Error("plugin dev has ended");
    };
    await untilOver();
    const took: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      await sleep(restMs);
      const text = await readFile(file, "utf8");
      const changed = text.replaceAll(/Hel+o/g, `Hel${"l".repeat(run + 2)}o`);
      if (changed === text) throw new Error(`${file} greets nobody`);
      const saved = performance.now();
      await writeFile(file, changed);
      await untilOver();
      took.push(performance.now() - saved);
    }
    return median(took);
  } finally {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
}

const work = await mkdtemp(join(tmpdir(), "capstan-bench-plugin-"));
try {
  const bare = await medianOf(emptyPrograms);
  const results = [];
  for (const kind of ["typescript", "command"]) {
    const folder = join(work, kind);
    await costOfRun([capstan, "plugin", "init", folder, "--kind", kind]);
    const source = join(folder, "testdata", (await readdir(join(folder, "testdata")))[0] ?? "", "source");
    const start = await medianOf(() =>
      costOfRun([capstan, "plugin", "dev", folder, "--source", source, "--once"]),
    );
    const test = await medianOf(() => costOfRun([capstan, "plugin", "test", folder]));
    const file = join(folder, kind === "typescript" ? "plugin.ts" : "generate.sh");
    const figures = {
      "start of dev, ms": start.wallMs,
      "start of dev, ms of CPU": start.cpuMs,
      "test of one case, ms": test.wallMs,
      "test of one case, ms of CPU": test.cpuMs,
      "save to diff, ms": await saveToDiff(folder, source, file),
      "two empty programs, ms": bare.wallMs,
      "two empty programs, ms of CPU": bare.cpuMs,
    };
    results.push({ peer: kind, figures });
  }
  printFigures(`plugin dev and plugin test, medians of ${runs}`, results, { ratio: false });
} finally {
  await rm(work, { recursive: true, force: true });
}
