/**
 * `node compat/operators/run.ts [--only TEXT,…] [--verbose] [--write]`: the CRDs and charts of testenv/operators.json, each
 * installed, upgraded and removed with helm or kubectl on a real control plane and on the embedded cluster, and what is
 * then in both compared. Hooks are not run: nothing could run them on either. What cannot be fetched is said. --write:
 * into the table of docs/operators.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lacking, lackingRealCluster } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { fetchOperator, type Operator, readOperators } from "../../testenv/operators.ts";
import { operatorGaps } from "../known-gaps.ts";
import { differences } from "../kube-api/difference.ts";
import { startClusters } from "./clusters.ts";
import {
  type Cluster,
  copyFolder,
  makeFolder,
  namespaceOf,
  type Outcome,
  phases,
  prepareChart,
  takeStep,
  writePostRenderer,
} from "./install.ts";
import { namesIn, objectsOf } from "./objects.ts";
import { resetCluster } from "./reset.ts";
import { type Row, writeTable } from "./table.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    verbose: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
/** So many must be equal, of those that can be had; each of the rest has its reason in the ledger. */
const share = 36 / 40;
const ledger = "compat/operators/known-gaps.json";

async function judge(clusters: readonly [Cluster, Cluster], operator: Operator, dir: string): Promise<Row> {
  const began = performance.now();
  const row = (verdict: string, found: readonly string[] = []): Row => ({
    name: operator.name,
    verdict,
    seconds: ((performance.now() - began) / 1_000).toFixed(1),
    found,
  });
  const fetched = await fetchOperator(operator);
  if ("problem" in fetched) return row("not fetched", [fetched.problem.slice(0, 200)]);
  const to = join(dir, operator.name);
  await copyFolder(fetched.folder, to);
  const chart = join(to, operator.chart ?? "");
  const without = await prepareChart(chart, folderOf);
  const installing = { operator, folder: chart, postRenderer: join(dir, "label-all.mjs") };
  const told: string[] = without.length > 0 ? [`without ${without.join(", ")}`] : [];
  const found: string[] = [];
  for (const phase of phases) {
    const [real, ours] = await Promise.all(clusters.map((one) => takeStep(one, phase, installing)));
    if (real === undefined || ours === undefined) throw new Error("a cluster is missing");
    found.push(...outcomeDifferences(real, ours).map((line) => `${phase}: ${line}`));
    if (real.code !== 0) told.push(`${phase}: refused on both with the same words: ${lastLine(real)}`);
    const [theirs, mine] = await Promise.all(clusters.map(madeIn));
    const lines = differences(Object.fromEntries(theirs ?? []), Object.fromEntries(mine ?? []));
    found.push(...lines.map((line) => `${phase}: ${line}`));
    if (found.length > 0) break;
  }
  if (found.length > 0) await Promise.all(clusters.map((one) => takeStep(one, "removed", installing)));
  await Promise.all(
    clusters.map((one) => resetCluster(one, namespaceOf(operator), firstObjects.get(one.name) ?? new Set())),
  );
  if (found.length > 0) return row("DIFFERS", found);
  // What is not installed at all shows nothing.
  return row(told.some((line) => line.startsWith("installed: ")) ? "not installed" : "equal", told);
}

async function folderOf(name: string): Promise<string | undefined> {
  const operator = (await readOperators()).find((one) => one.name === name);
  const fetched = operator && (await fetchOperator(operator));
  return fetched && "folder" in fetched ? join(fetched.folder, operator.chart ?? "") : undefined;
}

/** What each cluster begins with is its own affair. */
const firstObjects = new Map<string, ReadonlySet<string>>();

async function madeIn(cluster: Cluster): Promise<ReadonlyMap<string, unknown>> {
  const all = await objectsOf(cluster);
  const first = firstObjects.get(cluster.name);
  return new Map([...all].filter(([key]) => !first?.has(key)));
}

const lastLine = ({ said }: Outcome): string => said.trim().split("\n").at(-1)?.slice(0, 300) ?? "";

/** A step that fails has to fail on both, with the same words. */
function outcomeDifferences(real: Outcome, ours: Outcome): string[] {
  if (real.code === ours.code && (real.code === 0 || lastLine(real) === lastLine(ours))) return [];
  return [
    `real ended with ${real.code}: ${lastLine(real)}`,
    `ours ended with ${ours.code}: ${lastLine(ours)}`,
  ];
}

const reason = lackingRealCluster() || lacking("helm3", "kubectl");
if (reason !== false) {
  console.error(`compat/operators: ${reason}`);
  process.exit(1);
}
const texts = flags.only.split(",");
const wanted = (await readOperators()).filter(({ name }) => texts.some((text) => name.includes(text)));
const chosen = flags.short ? wanted.filter((_, index) => index % 8 === 0) : wanted;
const dir = await mkdtemp(join(tmpdir(), "capstan-operators-"));
await makeFolder(dir);
await writePostRenderer(dir);
await using clusters = await startClusters(dir);
for (const one of [clusters.real, clusters.ours]) firstObjects.set(one.name, new Set(await namesIn(one)));
const rows: Row[] = [];
for (const operator of chosen) {
  const row = await judge([clusters.real, clusters.ours], operator, dir).catch((error: unknown) => ({
    name: operator.name,
    verdict: "DIFFERS",
    seconds: "",
    found: [`could not be played: ${error instanceof Error ? error.message : error}`],
  }));
  rows.push(row);
  console.log(`${row.name.padEnd(30)} ${row.verdict.padEnd(14)} ${row.seconds.padStart(6)} s`);
  for (const line of row.found.slice(0, flags.verbose ? 40 : 6)) console.log(`    ${line.slice(0, 700)}`);
}
await rm(dir, { recursive: true, force: true });
if (flags.write) await writeTable(rows, await readOperators());
const of = (verdict: string) => rows.filter((row) => row.verdict === verdict);
const played = rows.length - of("not fetched").length;
const unlisted = of("DIFFERS").filter(({ name }) => !(name in operatorGaps));
const closed = of("equal").filter(({ name }) => name in operatorGaps);
for (const { name } of unlisted)
  console.log(`FAILED ${name} differs for a reason that ${ledger} does not give`);
for (const { name } of closed) console.log(`FAILED ${name} agrees now: strike it from ${ledger}`);
console.log(
  `compat/operators: ${rows.length} operators and charts, ${of("equal").length} equal, ${of("DIFFERS").length} not (${unlisted.length} not in ${ledger}), ${of("not installed").length} installed on neither, ${of("not fetched").length} not to be had here`,
);
const isEnough = flags.only !== "" || of("equal").length >= played * share;
process.exitCode = unlisted.length + closed.length > 0 || !isEnough ? 1 : 0;
