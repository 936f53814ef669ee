/**
 * `node compat/kube-api/run.ts [--short] [--only TEXT] [--verbose] [--classes]`: plays every case on a real
 * kube-apiserver and on the embedded cluster and compares what they say. Writes nothing.
 */
import { lackingRealCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { kubeApiGaps, unsteady } from "../known-gaps.ts";
import { cases } from "./cases/cases.ts";
import { type Clusters, startClusters } from "./clusters.ts";
import { differences } from "./difference.ts";
import { play } from "./play.ts";
import type { Case, Step } from "./script.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    classes: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    parallel: { type: "string", default: "8" },
  },
});
const parallel = wholeNumber("parallel", flags.parallel);
/** One case in so many. */
const shortShare = 16;

interface Verdict {
  name: string;
  /** Of the first step that differs. */
  step?: Step;
  differences: readonly string[];
}

const calls: Step = { method: "(calls of)", path: "the webhook server" };

async function judge({ real, ours, webhooks }: Clusters, one: Case, attempt = 1): Promise<Verdict> {
  const playing = { attempt, webhooks };
  const [theirs, mine] = await Promise.all([play(real, one, playing), play(ours, one, playing)]);
  const seen = [...one.steps.filter((step) => !step.unseen), ...(one.calls ? [calls] : [])];
  for (const [index, step] of seen.entries()) {
    const found = differences(theirs[index], mine[index]);
    if (found.length > 0) return { name: one.name, step, differences: found };
  }
  return { name: one.name, differences: [] };
}

let repeated = 0;

/** Once more where an unlisted case differs: the real controllers may have written between two steps. */
async function judgeFairly(clusters: Clusters, one: Case): Promise<Verdict> {
  const first = await judge(clusters, one);
  if (first.differences.length === 0 || one.name in kubeApiGaps) return first;
  repeated += 1;
  return judge(clusters, one, 2);
}

async function judgeAll(clusters: Clusters, chosen: readonly Case[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = chosen.values();
  const work = async () => {
    for (const one of waiting)
      verdicts.push(
        await judgeFairly(clusters, one).catch((error: unknown) => ({
          name: one.name,
          differences: [`could not be played: ${error instanceof Error ? error.message : error}`],
        })),
      );
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return verdicts;
}

function printAreas(verdicts: readonly Verdict[]): void {
  const areas = Map.groupBy(verdicts, ({ name }) => name.split("/")[0] ?? "");
  for (const [area, all] of areas) {
    const agreeing = all.filter((verdict) => verdict.differences.length === 0).length;
    console.log(
      `${area.padEnd(18)} ${String(agreeing).padStart(5)} of ${String(all.length).padStart(5)} agree`,
    );
  }
  const agreeing = verdicts.filter((verdict) => verdict.differences.length === 0).length;
  const share = ((100 * agreeing) / Math.max(1, verdicts.length)).toFixed(1);
  console.log(`compat/kube-api: ${verdicts.length} cases, ${agreeing} agree (${share} %)`);
}

/** The disagreements by what differs, most frequent first: the order in which to mend them. */
function printClasses(verdicts: readonly Verdict[]): void {
  const classOf = ({ differences: found }: Verdict) => (found[0] ?? "").replaceAll(/c[0-9a-f]{10}/g, "<id>");
  const classes = [...Map.groupBy(verdicts, classOf)].sort((left, right) => right[1].length - left[1].length);
  for (const [what, all] of classes) console.log(`${all.length} × ${what}\n    ${all[0]?.name}`);
}

function printFailure({ name, step, differences: found }: Verdict): void {
  console.log(`FAILED ${name}\n  ${step?.method} ${step?.path}`);
  for (const line of found.slice(0, 20)) console.log(`    ${line}`);
}

function isSteadyGap(name: string): boolean {
  return name in kubeApiGaps && !kubeApiGaps[name]?.startsWith(unsteady);
}

const lacking = lackingRealCluster();
if (lacking !== false) {
  console.error(`compat/kube-api: ${lacking}`);
  process.exit(1);
}
const wanted = cases.filter(({ name }) => name.includes(flags.only));
const chosen = flags.short ? wanted.filter((_, index) => index % shortShare === 0) : wanted;
await using clusters = await startClusters();
const verdicts = await judgeAll(clusters, chosen);
const disagreeing = verdicts.filter((verdict) => verdict.differences.length > 0);
const unlisted = disagreeing.filter(({ name }) => !(name in kubeApiGaps));
const closed = verdicts.filter(({ name, differences: found }) => found.length === 0 && isSteadyGap(name));
const names = new Set(cases.map(({ name }) => name));
const unknown = Object.keys(kubeApiGaps).filter((name) => !names.has(name));
if (flags.classes) printClasses(unlisted);
else for (const verdict of flags.verbose ? disagreeing : unlisted) printFailure(verdict);
// What agrees in a short run alone may have agreed by chance: it is said, and fails the whole one.
for (const { name } of closed)
  console.log(`${flags.short ? "note:" : "FAILED"} ${name} agrees now: strike it from compat/known-gaps.ts`);
for (const name of unknown) console.log(`FAILED compat/known-gaps.ts lists ${name}, which is no case`);
printAreas(verdicts);
console.log(
  `${disagreeing.length - unlisted.length} in compat/known-gaps.ts, ${unlisted.length} not; ${repeated} unlisted cases were played twice`,
);
process.exitCode = unlisted.length + unknown.length + (flags.short ? 0 : closed.length) > 0 ? 1 : 0;
