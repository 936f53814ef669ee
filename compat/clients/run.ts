/**
 * `node compat/clients/run.ts [--short] [--only TEXT] [--verbose]`: kubectl and helm, and a watcher of everything,
 * play the same scripts on a real control plane with a simulated node and on the embedded cluster; what they print
 * is compared; with --short by the newest clients, without the scripts that are slow. Writes nothing.
 */
import { lackingRealCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { clientGaps } from "../known-gaps.ts";
import { differences } from "../kube-api/difference.ts";
import { compareScene, Ledger, type Verdict } from "../verdicts.ts";
import { findClients, lackingClients } from "./clients.ts";
import { type Clusters, startClusters } from "./clusters.ts";
import { play, type Turn } from "./play.ts";
import { readStep } from "./script.ts";
import { scripts } from "./scripts/scripts.ts";
import { watchEverything } from "./watch-everything.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    parallel: { type: "string", default: "3" },
  },
});
const parallel = wholeNumber("parallel", flags.parallel);
/** CI plays these; the older ones differ little from them. */
const shortClients: readonly string[] = ["kubectl-1.36", "helm-4"];

const ledger = new Ledger(clientGaps, "compat/clients/known-gaps.json");

async function judge(clusters: Clusters, turn: Turn): Promise<Verdict> {
  const { script, client } = turn;
  const [real, ours] = await Promise.all([play(clusters.real, turn), play(clusters.ours, turn)]);
  const runs = script.steps.map((step) => readStep(step).run);
  const name = `${client.name}/${script.name}`;
  return compareScene({ name, script: script.name, runs, real, ours, isVerbose: flags.verbose });
}

/** Once more where something unlisted differs: the real controllers take their time on a busy machine. */
async function judgeFairly(clusters: Clusters, turn: Turn): Promise<Verdict> {
  const first = await judge(clusters, turn);
  if (ledger.unlisted(first).length === 0) return first;
  console.log(`${first.name}: once more`);
  return judge(clusters, { ...turn, attempt: 2 });
}

async function judgeAll(clusters: Clusters, turns: readonly Turn[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = turns.values();
  const work = async () => {
    for (const turn of waiting) {
      const verdict = await judgeFairly(clusters, turn);
      verdicts.push(verdict);
      console.log(
        `${verdict.name}: ${verdict.steps - verdict.failures.size} of ${verdict.steps} commands agree`,
      );
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return verdicts;
}

async function judgeWatches(clusters: Clusters): Promise<Verdict> {
  const [real, ours] = await Promise.all([watchEverything(clusters.real), watchEverything(clusters.ours)]);
  const found = [...real.problems, ...ours.problems, ...differences(real.seen, ours.seen)];
  const failures = new Map(found.length > 0 ? [["watch-everything", found]] : []);
  return { name: "watch-everything", steps: 1, failures };
}

const lacking = lackingRealCluster({ nodes: true }) || lackingClients();
if (lacking !== false) {
  console.error(`compat/clients: ${lacking}`);
  process.exit(1);
}
const clients = (await findClients()).filter(({ name }) => !flags.short || shortClients.includes(name));
const turns: readonly Turn[] = clients.flatMap((client) =>
  scripts
    .filter((script) => script.client === client.client && !(flags.short && script.slow))
    .filter((script) => `${client.name}/${script.name}`.includes(flags.only))
    .map((script) => ({ script, client, attempt: 1 })),
);
await using clusters = await startClusters();
const verdicts = await judgeAll(clusters, turns);
if ("watch-everything".includes(flags.only)) verdicts.push(await judgeWatches(clusters));
for (const verdict of verdicts) ledger.print(verdict);
const isWhole = !flags.short && flags.only === "";
process.exitCode = ledger.conclude(verdicts, { suite: "compat/clients", isWhole });
