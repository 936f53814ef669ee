/**
 * `node compat/clients/run.ts [--short] [--only TEXT] [--verbose]`: kubectl and helm, and a watcher of everything,
 * play the same scripts on a real control plane with a simulated node and on the embedded cluster; what they print
 * is compared. Writes nothing.
 */
import { parseArgs } from "node:util";
import { lackingRealCluster } from "@capstan/testkit";
import { clientGaps, unsteady } from "../known-gaps.ts";
import { differences } from "../kube-api/difference.ts";
import { findClients, lackingClients } from "./clients.ts";
import { type Clusters, startClusters } from "./clusters.ts";
import { play, type Turn } from "./play.ts";
import { readStep } from "./script.ts";
import { scripts } from "./scripts/scripts.ts";
import { watchEverything } from "./watch-everything.ts";

const { values: flags } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    parallel: { type: "string", default: "3" },
  },
});
/** CI plays these; the older ones differ little from them. */
const shortClients: readonly string[] = ["kubectl-1.36", "helm-4"];

interface Verdict {
  readonly name: string;
  readonly steps: number;
  /** What differs, by the command as the ledger names it. */
  readonly failures: ReadonlyMap<string, readonly string[]>;
}

async function judge(clusters: Clusters, turn: Turn): Promise<Verdict> {
  const { script, client } = turn;
  const name = `${client.name}/${script.name}`;
  const [real, ours] = await Promise.all([play(clusters.real, turn), play(clusters.ours, turn)]);
  const failures = new Map<string, readonly string[]>();
  for (const [index, step] of script.steps.entries()) {
    const { run } = readStep(step);
    const found = differences(real.said[index], ours.said[index]);
    if (found.length > 0) failures.set(`${script.name}: ${run}`, found);
    if (flags.verbose) console.log(`${name} $ ${run}\nreal: ${real.raw[index]}\nours: ${ours.raw[index]}`);
  }
  return { name, steps: script.steps.length, failures };
}

const isUnlisted = (command: string): boolean => !(command in clientGaps);

/** Once more where something unlisted differs: the real controllers take their time on a busy machine. */
async function judgeFairly(clusters: Clusters, turn: Turn): Promise<Verdict> {
  const first = await judge(clusters, turn);
  if (![...first.failures.keys()].some(isUnlisted)) return first;
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
  await Promise.all(Array.from({ length: Number(flags.parallel) }, work));
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
    .filter((script) => script.client === client.client)
    .filter((script) => `${client.name}/${script.name}`.includes(flags.only))
    .map((script) => ({ script, client, attempt: 1 })),
);
await using clusters = await startClusters();
const verdicts = await judgeAll(clusters, turns);
if ("watch-everything".includes(flags.only)) verdicts.push(await judgeWatches(clusters));
let failed = 0;
for (const { name, failures } of verdicts)
  for (const [command, found] of failures) {
    if (!isUnlisted(command)) continue;
    failed += 1;
    console.log([`FAILED ${name} $ ${command}`, ...found.slice(0, 12)].join("\n    "));
  }
const differing = new Set(verdicts.flatMap(({ failures }) => [...failures.keys()]));
const isWhole = !flags.short && flags.only === "";
for (const [command, reason] of Object.entries(clientGaps)) {
  if (!isWhole || differing.has(command) || reason.startsWith(unsteady)) continue;
  failed += 1;
  console.log(`FAILED ${command} agrees now: strike it from compat/known-gaps.ts`);
}
const steps = verdicts.reduce((sum, one) => sum + one.steps, 0);
const apart = verdicts.reduce((sum, one) => sum + one.failures.size, 0);
console.log(
  `compat/clients: ${verdicts.length} scripts of ${steps} commands, ${steps - apart} agree, ${differing.size} commands differ, ${failed} not in compat/known-gaps.ts`,
);
process.exitCode = failed > 0 ? 1 : 0;
