/**
 * `node compat/argocd-e2e/run.ts [--files TEXT,…] [--only REGEX] [--skipped] [--verbose]`: Argo CD's own end-to-end tests, by
 * gRPC and by the `argocd` command, on Capstan and a real control plane; beside what the real Argo CD does in the same
 * setting. Only tests that pass there are played; with --skipped those that were left out there, as the ones with
 * signatures and those that OpenShift would fail. The ledger names those that fail here, with reasons.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { realProgramPath } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { argocdEndToEndGaps, unsteady } from "../known-gaps.ts";
import { lackingTests, openWorld, realResults, type World } from "./world.ts";

const { values: flags } = programFlags({
  options: {
    files: { type: "string", default: "" },
    only: { type: "string", default: "" },
    skipped: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});

/** Of one test; each wait in it has its own limit of 20 s. */
const limitMs = 240_000;

interface Case {
  readonly file: string;
  readonly test: string;
}

type Result = "PASS" | "FAIL" | "SKIP" | "NONE";

interface Played {
  readonly result: Result;
  /** As the test program says it: "1.23s", or nothing where the program did not end by itself. */
  readonly took: string;
  readonly output: readonly string[];
}

async function readCases(): Promise<Case[]> {
  const files = flags.files.split(",").filter((text) => text !== "");
  const only = new RegExp(flags.only);
  const lines = (await readFile(realResults, "utf8")).split("\n").filter((line) => !line.startsWith("#"));
  return lines
    .map((line) => line.split(/\s+/))
    .filter(([, result]) => result === (flags.skipped ? "SKIP" : "PASS"))
    .map(([file = "", , test = ""]) => ({ file, test }))
    .filter(({ file }) => files.length === 0 || files.some((text) => file.includes(text)))
    .filter(({ test }) => only.test(test));
}

/** The test program prints `--- PASS: TestName (1.2s)` for each. */
async function play(world: World, { test }: Case): Promise<Played> {
  const args = ["-test.v", "-test.run", `^${test}$`, "-test.timeout", `${limitMs / 1000}s`];
  const child = spawn(realProgramPath("argocd-e2e.test"), args, {
    cwd: world.folder,
    env: { ...process.env, ...world.env },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.timeout(limitMs + 30_000),
  });
  const output: string[] = [];
  let result: Result = "NONE";
  let took = "";
  const read = (line: string) => {
    output.push(line);
    const [, said, name, seconds = ""] = /^--- (PASS|FAIL|SKIP): (\S+) \((.*)\)/.exec(line) ?? [];
    if (name !== test) return;
    result = said === "PASS" ? "PASS" : said === "SKIP" ? "SKIP" : "FAIL";
    took = seconds;
  };
  createInterface(child.stdout).on("line", read);
  createInterface(child.stderr).on("line", read);
  await new Promise<void>((resolve) => {
    child.once("close", () => resolve()).once("error", () => resolve());
  });
  return { result, took, output };
}

async function main(): Promise<number> {
  const missing = lackingTests();
  if (missing) {
    console.log(`skipped: ${missing}`);
    return 0;
  }
  await using world = await openWorld({ skips: !flags.skipped });
  const tally = new Map<string, { real: number; ours: number }>();
  let unexpected = 0;
  for (const one of await readCases()) {
    const { result, took, output } = await play(world, one);
    const gap = argocdEndToEndGaps[one.test];
    const isClosed = result === "PASS" && gap !== undefined && !gap.startsWith(unsteady);
    // Those that were left out may have other reasons of their own to leave themselves out.
    const isFine = result === "PASS" || (flags.skipped && result === "SKIP");
    if (isClosed || (!isFine && gap === undefined)) unexpected += 1;
    const note = isClosed ? "  passes: strike it out of the ledger" : `  ${gap ?? (isFine ? "" : "NEW")}`;
    console.log(`${result.padEnd(5)} ${took.padStart(7)} ${one.file.padEnd(32)} ${one.test}${note}`);
    if (flags.verbose && result !== "PASS") console.log(output.slice(-80).join("\n"));
    const { real, ours } = tally.get(one.file) ?? { real: 0, ours: 0 };
    tally.set(one.file, { real: real + 1, ours: ours + (result === "PASS" ? 1 : 0) });
  }
  let [real, ours] = [0, 0];
  console.log("\nfile: passes for the real Argo CD, passes for Capstan");
  for (const [file, of] of tally) {
    console.log(`${file.padEnd(40)} ${of.real}  ${of.ours}`);
    real += of.real;
    ours += of.ours;
  }
  console.log(`${"all".padEnd(40)} ${real}  ${ours}  (${((100 * ours) / Math.max(real, 1)).toFixed(1)} %)`);
  return unexpected === 0 ? 0 : 1;
}

process.exitCode = await main();
