/**
 * `node compat/argocd/side-by-side/run.ts [--short] [--only REGEX] [--count N] [--seed N] [--verbose]`: the real
 * argocd-application-controller and ours, each on an embedded cluster of its own, play the same repositories: cases that
 * pick at the rules, generated ones, and samples of ../shared/corpus. After each step both have to come to the same
 * status, operation, resources, conditions, events and objects. The ledger (known-gaps.json) names what may differ, and why.
 */
import { runLimited } from "@capstan/flow";
import { lackingArgoCD, startArgoCD, startEmbeddedCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { openSmallWorld } from "@capstan/testkit/worlds";
import { sideBySideGaps } from "../../known-gaps.ts";
import type { Case } from "./case.ts";
import { ruleCases } from "./cases/rule-cases.ts";
import { corpusCases } from "./corpus-cases.ts";
import { generateCases } from "./generate-cases.ts";
import { type Difference, playCase, type Sides } from "./play.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    count: { type: "string" },
    seed: { type: "string", default: "13" },
    verbose: { type: "boolean", default: false },
  },
});
const count = wholeNumber("count", flags.count ?? (flags.short ? "20" : "500"));
/** At once: each mostly waits. */
const parallel = 6;

async function openSides(opened: AsyncDisposableStack): Promise<Sides> {
  const cluster = opened.use(await startEmbeddedCluster());
  const only = ["redis-server", "argocd-repo-server", "argocd-application-controller"];
  opened.use(await startArgoCD(cluster, { only }));
  const world = opened.use(await openSmallWorld());
  return {
    real: { name: "Argo CD", kube: cluster.kube },
    ours: { name: "Capstan", kube: world.kube },
  };
}

const met = new Map<string, number>();

function explain({ about, theirs, ours }: Difference): string | undefined {
  const said = `${about} | ${theirs} | ${ours}`;
  const gap = sideBySideGaps.find((one) => one.about.test(said));
  if (gap) met.set(gap.reason, (met.get(gap.reason) ?? 0) + 1);
  return gap?.reason;
}

function report(one: Case, differences: readonly Difference[]): number {
  const unexplained = differences.filter((difference) => explain(difference) === undefined);
  const shown = flags.verbose ? differences : unexplained;
  const known = differences.length - unexplained.length;
  console.log(
    `${unexplained.length === 0 ? "same  " : "DIFFERS"} ${one.name}${known > 0 ? ` (${known} known)` : ""}`,
  );
  for (const { about, theirs, ours } of shown)
    console.log(`    ${about}\n      Argo CD: ${theirs.slice(0, 900)}\n      Capstan: ${ours.slice(0, 900)}`);
  return unexplained.length;
}

async function main(): Promise<number> {
  const missing = lackingArgoCD();
  if (missing) {
    console.log(`skipped: ${missing}`);
    return 0;
  }
  await using opened = new AsyncDisposableStack();
  const sides = await openSides(opened);
  const only = new RegExp(flags.only);
  const all = [...ruleCases, ...(await corpusCases()), ...generateCases({ count, seed: Number(flags.seed) })];
  const cases = all.filter(({ name }) => only.test(name));
  let differing = 0;
  await runLimited(cases, parallel, async (one) => {
    const found = await playCase(sides, one).catch((error: unknown): Difference[] => [
      { about: `${one.name}: cannot be played`, theirs: "", ours: String(error) },
    ]);
    if (report(one, found) > 0) differing += 1;
  });
  console.log(`\n${cases.length} cases, ${cases.length - differing} the same but for what is known`);
  for (const [reason, times] of met) console.log(`${String(times).padStart(6)}  ${reason}`);
  return differing === 0 ? 0 : 1;
}

process.exitCode = await main();
