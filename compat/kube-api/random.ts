/**
 * `node compat/kube-api/random.ts [--short] [--operations N] [--seed N] [--again N,N [--path P]] [--only KIND] [--classes]`: sequences
 * of requests made at random from the schemas, played on a real kube-apiserver and on the embedded cluster. What does
 * not agree is made as small as it gets and printed as a case for compat/kube-api/cases. Writes nothing.
 */
import { lackingRealCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import fc from "fast-check";
import { startClusters } from "./clusters.ts";
import { titleOf } from "./kinds/kind.ts";
import { kinds } from "./kinds/kinds.ts";
import { type Judgement, judge } from "./random/judge.ts";
import { type Sequence, sequences } from "./random/operations.ts";
import { Schemas } from "./random/schemas.ts";
import { Tally } from "./random/tally.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    classes: { type: "boolean", default: false },
    operations: { type: "string" },
    seed: { type: "string" },
    again: { type: "string" },
    path: { type: "string" },
    only: { type: "string", default: "" },
    parallel: { type: "string", default: "8" },
  },
});
const shrinkLimitMs = 30_000;
/** So many are shrunk and shown; more would only say again that something is wrong. */
const failureLimit = 10;

const lacking = lackingRealCluster();
if (lacking !== false) {
  console.error(`compat/kube-api/random: ${lacking}`);
  process.exit(1);
}
const wanted = wholeNumber("operations", flags.operations ?? (flags.short ? "800" : "20000"));
/** The same in every run that does not ask for another, so that a change can be told from chance. */
const seed = wholeNumber("seed", flags.seed ?? "1");
const parallel = wholeNumber("parallel", flags.parallel);
const chosen = kinds.filter((kind) => titleOf(kind).includes(flags.only));
await using clusters = await startClusters();
const world = { ...clusters, schemas: await Schemas.fetch(clusters.ours) };
const arbitrary = sequences(world.schemas, chosen);
const tally = new Tally();

/** Every sequence is a run of its own, so that several play at a time and each can be replayed alone. */
async function playOne(ownSeed: number): Promise<void> {
  let first = true;
  let smallest: { sequence: Sequence; judgement: Judgement } | undefined;
  const property = fc.asyncProperty(arbitrary, async (sequence) => {
    const judgement = await judge(world, sequence);
    if (first) tally.count(judgement, ownSeed);
    first = false;
    if (judgement.unlisted !== undefined) smallest = { sequence, judgement };
    return judgement.unlisted === undefined;
  });
  const details = await fc.check(property, {
    seed: ownSeed,
    numRuns: 1,
    endOnFailure: flags.classes || flags.path !== undefined,
    interruptAfterTimeLimit: shrinkLimitMs,
    ...(flags.path !== undefined && { path: flags.path }),
  });
  if (smallest !== undefined)
    tally.fail({ ...smallest, seed: ownSeed, path: details.counterexamplePath ?? "0" });
  else if (details.errorInstance instanceof Error) throw details.errorInstance;
}

/** The sequences to play: those asked for, or as many as it takes. */
function* ownSeeds(): Generator<number> {
  if (flags.again !== undefined) yield* flags.again.split(",").map(Number);
  for (let own = seed; flags.again === undefined; own += 1) {
    if (tally.operations >= wanted || (!flags.classes && tally.failures.length >= failureLimit)) return;
    yield own;
  }
}

const waiting = ownSeeds();
const work = async () => {
  for (const own of waiting) await playOne(own);
};
await Promise.all(Array.from({ length: parallel }, work));
if (flags.classes) tally.printClasses();
else tally.printFailures();
tally.printSums(seed);
process.exitCode = tally.failures.length > 0 ? 1 : 0;
