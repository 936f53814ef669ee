/**
 * `node compat/sync-rows/run.ts [--section N,…] [--files TEXT,…] [--cluster real|embedded]`: the tests that rows.txt names for each rule
 * of Argo CD's syncing, on the embedded cluster and on a real kube-apiserver and kube-controller-manager. A rule holds
 * where all of its tests pass on both; what only decides, without a cluster, is played once. A test that passes on one
 * alone is a defect of the embedded cluster, or of the test.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { lackingRealCluster } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { type Row, readRows, root, type TestRef } from "./read-rows.ts";

const { values: flags } = programFlags({
  options: {
    section: { type: "string", default: "" },
    files: { type: "string", default: "" },
    cluster: { type: "string" },
  },
});
type ClusterName = "embedded" | "real";
type Verdict = "passed" | "failed" | "skipped";

/** A world is one that the testkit opens where CAPSTAN_TEST_CLUSTER says. */
const opensWorld = /\b(?:open(?:Small|Api|Scene)World|shareWorld)\(/;
const nameOf = ({ file, name }: TestRef): string => `${file}: ${name}`;
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

async function play(
  file: string,
  names: readonly string[],
  cluster: ClusterName,
): Promise<Map<string, Verdict>> {
  process.env.CAPSTAN_TEST_CLUSTER = cluster;
  const found = new Map<string, Verdict>();
  const tests = run({
    files: [join(root, file)],
    concurrency: 1,
    timeout: 600_000,
    testNamePatterns: names.map((name) => new RegExp(`${escaped(name)}$`)),
  });
  const keep = (verdict: Verdict) => (one: { name: string; skip?: string | boolean; details?: unknown }) => {
    const isSkipped = one.skip !== undefined && one.skip !== false;
    if (names.includes(one.name)) found.set(one.name, isSkipped ? "skipped" : verdict);
    if (verdict === "failed" && names.includes(one.name))
      console.log(`    ${file}: ${one.name}:`, one.details);
  };
  tests.on("test:pass", keep("passed"));
  tests.on("test:fail", keep("failed"));
  tests.resume();
  await once(tests, "end");
  return found;
}

/** File → the tests of it that rows name. */
function testsOf(rows: readonly Row[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { file, name } of rows.flatMap(({ tests }) => tests))
    found.set(file, (found.get(file) ?? new Set()).add(name));
  return found;
}

/** Those of the chosen sections, with what of their tests stands in the chosen files. */
function chosenRows(): Row[] {
  const sections = flags.section === "" ? undefined : flags.section.split(",");
  const files = flags.files.split(",");
  const isChosen = ({ file }: TestRef) => files.some((text) => file.includes(text));
  return readRows()
    .filter(({ section }) => sections?.includes(section) ?? true)
    .map((row) => ({ ...row, tests: row.tests.filter(isChosen) }))
    .filter(({ tests }) => flags.files === "" || tests.length > 0);
}

async function main(): Promise<number> {
  const lacking = lackingRealCluster({ nodes: true });
  const clusters = (["embedded", "real"] as const).filter((one) => (flags.cluster ?? one) === one);
  if (lacking && clusters.includes("real")) {
    console.log(`skipped: ${lacking}`);
    return 0;
  }
  const rows = chosenRows();
  const verdicts = new Map<string, Verdict[]>();
  const onCluster = new Set<string>();
  for (const [file, names] of testsOf(rows)) {
    const isLive = opensWorld.test(readFileSync(join(root, file), "utf8"));
    for (const cluster of isLive ? clusters : (["embedded"] as const)) {
      const found = await play(file, [...names], cluster);
      for (const name of names) {
        const ref = nameOf({ file, name });
        if (isLive) onCluster.add(ref);
        verdicts.set(ref, [...(verdicts.get(ref) ?? []), found.get(name) ?? "failed"]);
        const verdict = found.get(name) ?? "was not played";
        if (verdict !== "passed") console.log(`${verdict} on ${cluster}: ${ref}`);
      }
    }
  }
  const isShown = ({ tests }: Row) =>
    tests.every((ref) => verdicts.get(nameOf(ref))?.every((one) => one === "passed"));
  for (const row of rows)
    if (!isShown(row)) console.log(`DOES NOT HOLD ${row.section} ${row.digest} ${row.rule}`);
  const shown = rows.filter(isShown);
  const live = shown.filter(({ tests }) => tests.some((ref) => onCluster.has(nameOf(ref))));
  const elsewhere = shown.filter(({ tests }) => tests.length === 0);
  console.log(
    `\n${rows.length} rules, ${shown.length} hold: ${live.length} on ${clusters.join(" and ")}, ` +
      `${shown.length - live.length - elsewhere.length} decided without a cluster, ` +
      `${elsewhere.length} only said to differ`,
  );
  return shown.length === rows.length ? 0 : 1;
}

process.exitCode = await main();
