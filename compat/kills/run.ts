/**
 * `node compat/kills/run.ts [--short] [--count N] [--applications N] [--controllers N [--skews S,…]] [--seed N]`: kill -9 of `capstan up`,
 * or of one of N controllers that share the applications, at random moments while applications with hooks, waves and prunes sync; at each fifth the API server is away instead. After each all must come to the newest commit;
 * no hook may have run twice for one operation, and nothing may have been made, changed or deleted that git did not
 * ask for: by a watch, and by the audit log of the cluster, which is not killed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { Dice } from "../dice.ts";
import { watchHooks } from "./watch-hooks.ts";
import { type Audited, type KillWorld, openKillWorld } from "./world.ts";

const { values: flags } = programFlags({
  options: {
    short: { type: "boolean", default: false },
    count: { type: "string" },
    applications: { type: "string", default: "6" },
    controllers: { type: "string" },
    skews: { type: "string", default: "0" },
    seed: { type: "string" },
  },
});
const count = wholeNumber("count", flags.count ?? (flags.short ? "5" : "100"));
const seed = wholeNumber("seed", flags.seed ?? `${1 + (Date.now() % 1e6)}`);
/** A sync of all takes about so long: a kill after it finds nothing under way. */
const longestMs = 2_000;
const limitMs = 120_000;
/** Instead of a kill, at each so manieth: the API server is away for so long. */
const awayEvery = 5;
const awayMs = flags.short ? 5_000 : 30_000;
const problems: string[] = [];
/** Of controllers, in turn: 0,60,-60 lets one be right, one a minute ahead and one behind. */
const skews = flags.skews.split(",").map(Number);
if (!skews.every(Number.isFinite)) throw new Error(`--skews ${flags.skews}: they are seconds, with commas`);

async function until(world: KillWorld, revision: string): Promise<string[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const behind = await world.behind(revision);
    if (behind.length === 0 || performance.now() > end) return behind;
    await sleep(200);
  }
}

/** Of one round, when all is at rest. */
function judgeRequests(world: KillWorld, round: number, requests: readonly Audited[]): void {
  const gone = `of-round-${round - 1}`;
  for (const { verb, code, resource, namespace, name } of requests) {
    if (verb !== "delete" && verb !== "deletecollection") continue;
    const isAsked = (resource === "configmaps" && name === gone) || resource === "jobs";
    if (!isAsked || (code >= 400 && code !== 404 && code !== 409))
      problems.push(`round ${round}: ${verb} of ${resource} ${namespace}/${name} answered ${code}`);
  }
  for (const namespace of world.names) {
    const made = requests.filter((one) => one.namespace === namespace && one.code === 201);
    const maps = made.filter(({ resource }) => resource === "configmaps").map(({ name }) => name);
    if (maps.join() !== `of-round-${round}`)
      problems.push(`round ${round}: ${namespace} got the ConfigMaps ${maps.join() || "none"}`);
  }
}

async function main(): Promise<number> {
  const dice = new Dice(seed);
  await using world = await openKillWorld(
    wholeNumber("applications", flags.applications),
    flags.controllers === undefined
      ? undefined
      : { controllers: wholeNumber("controllers", flags.controllers), skews },
  );
  await using hooks = watchHooks(world.kube);
  const first = await until(world, await world.commit(1));
  if (first.length > 0) throw new Error(`nothing begins: ${first.join("; ")}`);
  let before = (await world.audited()).length;
  for (let kill = 1; kill <= count; kill += 1) {
    const round = kill + 1;
    const revision = await world.commit(round);
    const afterMs = Math.floor(dice.next() * longestMs);
    await sleep(afterMs);
    const underWay = (await world.behind(revision)).length;
    const isAway = kill % awayEvery === 0;
    if (isAway) await world.away(awayMs);
    else {
      await world.kill();
      await world.start();
    }
    const behind = await until(world, revision);
    if (behind.length > 0) problems.push(`round ${round}: not at the end: ${behind.join("; ")}`);
    const requests = await world.audited();
    judgeRequests(world, round, requests.slice(before));
    before = requests.length;
    console.log(
      `${isAway ? "cluster away" : "kill"} ${kill} after ${afterMs} ms, ${underWay} of ${world.names.length} under way: ${behind.length === 0 ? "all there" : "BEHIND"}`,
    );
  }
  const twice = [...hooks.made].filter(([, uids]) => uids.size > 1);
  for (const [hook, uids] of twice) problems.push(`${hook} ran ${uids.size} times`);
  console.log(
    `\n${count} kills (--seed ${seed}), ${hooks.made.size} hooks, ${twice.length} of them more than once`,
  );
  for (const problem of problems) console.log(`FAILED ${problem}`);
  return problems.length === 0 && hooks.made.size > 0 ? 0 : 1;
}

process.exitCode = await main();
