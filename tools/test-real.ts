/**
 * `npm run test:real [-- --short] [--no-skips] [--tested] [--groups] [suite…]`: the suites that need real programs, whole
 * (CAPSTAN_LONG=1 says so to their tests) or, with --short, the samples that CI plays.
 *
 * A suite whose programs are absent is skipped with its reason; with --no-skips (.ci/run, where they could be built)
 * that is a failure. --groups only prints the groups of `npm run testenv` that the suites need. --tested: npm test
 * has been played with the programs, so that what it plays is left out here.
 */
import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programFlags } from "@capstan/testkit/program-flags";
import { type Suite, suites } from "./real-suites.ts";

/** A suite that has not ended by then hangs. */
const usualLimitMs = 3_600_000;

type Verdict = "ok" | "skipped" | "FAILED";

async function play(suite: Suite, isShort: boolean, stdio: StdioOptions = "inherit"): Promise<Verdict> {
  const { name, lacking: reasonToSkip, command, short = [], limitMs = usualLimitMs } = suite;
  const reason = reasonToSkip();
  if (reason !== false) {
    summary.push(`skipped ${name}: ${reason}`);
    return "skipped";
  }
  if (flags.tested && suite.isTested) {
    summary.push(`ok      ${name} (in npm test)`);
    return "ok";
  }
  const started = performance.now();
  const args = [...command, ...(isShort ? short : [])];
  const env = isShort ? process.env : { CAPSTAN_LONG: "1", ...process.env };
  const [status] = await once(spawn(process.execPath, args, { stdio, env, timeout: limitMs }), "exit");
  const verdict = status === 0 ? "ok" : "FAILED";
  summary.push(`${verdict.padEnd(7)} ${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  return verdict;
}

/** Beside others; what it says does not come between what they say. */
async function playBeside(suite: Suite): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-suite-"));
  try {
    await using said = await open(join(folder, "said"), "w");
    const verdict = await play(suite, true, ["ignore", said.fd, said.fd]);
    const text = await readFile(join(folder, "said"), "utf8");
    if (text !== "") process.stdout.write(`\n${suite.name}, played beside the others:\n${text}`);
    return verdict;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Whole suites one after the other. Samples in their lanes, of which each leaves a processor idle at times: when the long
 * tests have come to their end, two lanes share what is left of the others.
 */
async function playAll(all: readonly Suite[], isShort: boolean): Promise<Verdict[]> {
  if (!isShort) return playInTurn(all, (suite) => play(suite, false));
  const of = (wanted: Suite["lane"]) => all.filter(({ lane }) => lane === wanted).values();
  const others = of(undefined);
  const long = playInTurn(of("long"), (suite) => play(suite, true));
  const lanes = [
    long,
    long.then(() => playInTurn(others, playBeside)),
    playInTurn(others, playBeside),
    playInTurn(of("waiting"), playBeside),
  ];
  return (await Promise.all(lanes)).flat();
}

async function playInTurn(
  all: Iterable<Suite>,
  playOne: (suite: Suite) => Promise<Verdict>,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const suite of all) verdicts.push(await playOne(suite));
  return verdicts;
}

const { values: flags, positionals: names } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    "no-skips": { type: "boolean", default: false },
    tested: { type: "boolean", default: false },
    groups: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const summary: string[] = [];
const chosen = suites
  .filter(({ name }) => names.length === 0 || names.includes(name))
  .filter(({ short }) => !flags.short || short !== undefined);
const groupsOf = ({ groups, shortGroups = groups }: Suite) => (flags.short ? shortGroups : groups);
if (flags.groups) console.log([...new Set(chosen.flatMap(groupsOf))].join(" "));
else {
  const verdicts = await playAll(chosen, flags.short);
  for (const line of summary) console.log(line);
  if (verdicts.includes("skipped")) console.log("what is skipped for want of a program: npm run testenv");
  const bad: readonly Verdict[] = flags["no-skips"] ? ["FAILED", "skipped"] : ["FAILED"];
  process.exitCode = verdicts.some((verdict) => bad.includes(verdict)) ? 1 : 0;
}
