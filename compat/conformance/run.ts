/**
 * `npm run conformance [-- --cluster real|embedded|both] [--sig api-machinery|apps] [--focus REGEX] [--all] [--short] [--write]`:
 * Kubernetes' own conformance tests on the real control plane with kwok's node and on the embedded cluster; there
 * only those that real.txt has as passed, unless --all.
 * --write keeps the verdicts in real.txt and embedded.txt; --short runs a sample of what passes, on the embedded cluster.
 * Fails on a test that passes on the real one (in this run, else in real.txt), fails on ours, and is not in known-gaps.json.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { lacking, lackingRealCluster, startRealCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { conformanceGaps } from "../known-gaps.ts";
import { listTests, type Outcome, type Verdict } from "./e2e-program.ts";
import { runAll } from "./run-all.ts";
import { startEmbedded } from "./start-embedded.ts";
import { type ClusterName, readTable, tableText, writeTable } from "./table.ts";

const { values: flags } = programFlags({
  options: {
    cluster: { type: "string", default: "embedded" },
    sig: { type: "string", default: "api-machinery|apps" },
    focus: { type: "string", default: "" },
    processes: { type: "string", default: "4" },
    all: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
/** One test in so many. */
const shortShare = 8;
const logFolder = join(import.meta.dirname, "..", "..", ".cache", "conformance");

const starters = {
  real: () => startRealCluster({ nodes: true }),
  embedded: startEmbedded,
};

async function chooseTests(): Promise<readonly string[]> {
  const found = await listTests(`\\[sig-(${flags.sig})\\].*\\[Conformance\\]`);
  const focus = new RegExp(flags.focus);
  return found.filter((name) => focus.test(name)).sort();
}

/** On the embedded cluster what cannot pass on the real one would only cost time. */
function testsFor(cluster: ClusterName, chosen: readonly string[], table: Tables): readonly string[] {
  if (cluster === "real" || flags.all) return chosen;
  const telling = chosen.filter((name) => table.real.get(name) === "passed");
  if (!flags.short) return telling;
  const quick = telling.filter(
    (name) => table.embedded.get(name) === "passed" && !/\[(Slow|Serial)\]/.test(name),
  );
  return quick.filter((_, index) => index % shortShare === 0);
}

type Tables = Record<ClusterName, ReadonlyMap<string, Verdict>>;

async function runOn(name: ClusterName, tests: readonly string[]): Promise<Map<string, Verdict>> {
  const logs = join(logFolder, name);
  await rm(logs, { recursive: true, force: true });
  await mkdir(logs, { recursive: true });
  await using cluster = await starters[name]();
  const before = await readTable(name);
  const progress = { done: 0 };
  const outcomes = await runAll({
    kubeconfig: cluster.kubeconfig,
    names: tests,
    processes: wholeNumber("processes", flags.processes),
    logs,
    isForeseen: (test) => before.get(test) === "failed" || (name === "embedded" && test in conformanceGaps),
    report: (test, outcome) => {
      progress.done += 1;
      report(`${name} ${progress.done}/${tests.length}`, test, outcome);
    },
  });
  return new Map([...outcomes].map(([test, { verdict }]) => [test, verdict]));
}

function report(place: string, test: string, { verdict, message }: Outcome): void {
  console.log(`${place} ${verdict} ${test}`);
  if (verdict === "failed") console.log(`    ${message.slice(0, 600).replaceAll("\n", "\n    ")}`);
}

function readClusters(): readonly ClusterName[] {
  const { cluster } = flags;
  if (cluster === "both") return ["real", "embedded"];
  if (cluster === "real" || cluster === "embedded") return [cluster];
  console.error(`--cluster is real, embedded or both, not ${cluster}`);
  process.exit(2);
}

const clusters = flags.short ? (["embedded"] as const) : readClusters();
const absent = lacking("e2e.test") || (clusters.includes("real") && lackingRealCluster({ nodes: true }));
if (absent !== false) {
  console.error(`conformance: ${absent}`);
  process.exit(1);
}
const kept: Tables = { real: await readTable("real"), embedded: await readTable("embedded") };
const chosen = await chooseTests();
const run = new Set<string>();
for (const cluster of clusters) {
  const tests = testsFor(cluster, chosen, kept);
  if (tests.length === 0) {
    console.error(`conformance: no test is chosen for the ${cluster} cluster`);
    process.exit(2);
  }
  kept[cluster] = new Map([...kept[cluster], ...(await runOn(cluster, tests))]);
  if (flags.write) await writeTable(cluster, kept[cluster]);
  for (const name of tests) run.add(name);
}
const failing = [...run].filter(
  (name) => kept.real.get(name) === "passed" && kept.embedded.get(name) === "failed",
);
const unlisted = failing.filter((name) => !(name in conformanceGaps));
const closed = [...run].filter((name) => kept.embedded.get(name) === "passed" && name in conformanceGaps);
for (const name of unlisted)
  console.log(`FAILED ${name}: passes on the real cluster, fails here, is not in known-gaps.json`);
for (const name of closed) console.log(`FAILED ${name} passes now: strike it from known-gaps.json`);
console.log(tableText(kept.real, kept.embedded));
console.log(
  `conformance: ${run.size} tests run; ${failing.length - unlisted.length} in compat/known-gaps.ts, ${unlisted.length} not`,
);
process.exitCode = unlisted.length + closed.length > 0 ? 1 : 0;
