/**
 * `npm test [-- path…]`: the test files below the given paths, four at a time: on two cores the others wait for what
 * they have started. Without a path all but those named `….long.test.ts`, which take many programs' starts or a minute
 * of their own, and `….release.test.ts`, which install what would be published (`npm run test:real releases`). `--long`
 * plays the long ones alone (.ci/run does, after the others), with `--browser` those in a browser alone, with
 * `--no-browser` the others. Files share processes then (bundle-tests.ts).
 * `--slowest` lists the twenty files that took longest, each in a process of its own.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programFlags } from "@capstan/testkit/program-flags";
import { bundleTests } from "./bundle-tests.ts";
import { sourceFiles } from "./source-files.ts";

// What is not known here is node's.
const { values: flagsOfRun } = programFlags({
  options: {
    long: { type: "boolean", default: false },
    slowest: { type: "boolean", default: false },
    browser: { type: "boolean" },
  },
  strict: false,
  allowPositionals: true,
  allowNegative: true,
});
const paths = process.argv.slice(2).filter((one) => !one.startsWith("-"));
const given = process.argv.slice(2).filter((one) => one.startsWith("-"));
const { long: isLongWanted, slowest: isSlowestWanted, browser: inBrowser } = flagsOfRun;
const own = ["--long", "--slowest", "--browser", "--no-browser"];
const flags = given.filter((one) => !own.includes(one));
if (isSlowestWanted)
  for (const reporter of ["spec", "./tools/slowest-reporter.ts"])
    flags.push(`--test-reporter=${reporter}`, "--test-reporter-destination=stdout");
const isWanted = (file: string): boolean => {
  if (paths.length > 0) return paths.some((path) => file.startsWith(path));
  if (inBrowser !== undefined && file.startsWith("packages/ui/browser/") !== inBrowser) return false;
  return !file.endsWith(".release.test.ts") && file.endsWith(".long.test.ts") === isLongWanted;
};
const files = sourceFiles().filter((file) => file.endsWith(".test.ts") && isWanted(file));
if (files.length === 0) {
  console.error(`no test file below ${paths.join(", ")}`);
  process.exit(1);
}
const cache = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
const isWhole = paths.length === 0 && !isSlowestWanted;
const bundling = isLongWanted
  ? {
      folder: join(cache, `capstan-long-tests${inBrowser ? "-browser" : ""}`),
      together: 4,
    }
  : { folder: join(cache, "capstan-tests"), together: 32 };
const played = isWhole ? bundleTests(files, bundling) : files;
// What many processes load is compiled once. The launcher has the same cache.
const compiled = join(cache, "capstan-compile");
const filesAtOnce = 4;
// Threads that collect garbage only take turns with the other files; with room for what is young, less is collected.
const memory = ["--single-threaded-gc", "--min-semi-space-size=16", "--max-semi-space-size=32"];
// Where a run decides over a landing only what hangs takes longer, also where others slow the machine down.
const limitMs = process.env.CI || process.env.CAPSTAN_LONG ? 300_000 : 120_000;
const runner = spawn(
  process.execPath,
  [
    ...memory,
    "--test",
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${limitMs}`,
    ...flags,
    ...played,
  ],
  { stdio: "inherit", env: { NODE_COMPILE_CACHE: compiled, ...process.env } },
);
// The runner's limit is of a test that gives way: a file that blocks in one would hold the run for ever.
// A process with many files is given longer.
const stuckMs = (isWhole ? 4 : 2) * limitMs;
const watching = setInterval(() => endStuck(runner.pid, stuckMs), 10_000);
const [status] = await once(runner, "exit");
clearInterval(watching);
process.exitCode = status ?? 1;

/** Kills the children of that process that are older; the runner then names the file as failed. Without ps, none. */
function endStuck(parent: number | undefined, ms: number): void {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,etime="], { encoding: "utf8" });
  for (const [pid, ppid, age = ""] of (stdout ?? "").split("\n").map((line) => line.trim().split(/\s+/))) {
    if (Number(ppid) !== parent || secondsOf(age) * 1000 < ms) continue;
    console.error(`a test file that took longer than ${ms / 1000} s is ended: process ${pid}`);
    process.kill(Number(pid), "SIGKILL");
  }
}

/** Of ps: "[[days-]hours:]minutes:seconds". */
function secondsOf(age: string): number {
  const [days = "0", clock = ""] = age.includes("-") ? age.split("-") : ["0", age];
  return clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
