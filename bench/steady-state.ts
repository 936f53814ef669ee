/**
 * `node bench/steady-state.ts [--apps 200] [--polling 10 [--intervals 3]] [--peers capstan-embedded,…]
 * [--kubeconfig FILE]`: what N settled applications cost in 30 s in which nothing happens, or over so many polling
 * intervals of so many seconds, and what one live object costs that somebody changes, until it is as it was and two
 * seconds more: CPU, what the API server was asked (its audit log; renewals of leases left out), applications that were
 * looked at.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, ObjectRef } from "@capstan/kube";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { countsSince } from "./audit-log.ts";
import { type Cost, costsOf, costsSince } from "./process-cost.ts";
import { type Figures, ownCosts, printFigures } from "./report.ts";
import { inWorlds } from "./run.ts";
import { createApplications, createSampleRepository, untilSettled } from "./sample-applications.ts";
import type { World } from "./worlds.ts";

const { values: flags } = programFlags({
  options: {
    apps: { type: "string", default: "200" },
    polling: { type: "string" },
    intervals: { type: "string", default: "3" },
    peers: { type: "string" },
    kubeconfig: { type: "string" },
  },
});
const count = wholeNumber("apps", flags.apps);
const pollingSeconds = flags.polling === undefined ? undefined : wholeNumber("polling", flags.polling);
const intervals = wholeNumber("intervals", flags.intervals);
const idleMs = pollingSeconds === undefined ? 30_000 : pollingSeconds * intervals * 1_000;
const signal = AbortSignal.timeout(30 * 60_000);
/** A thread that rests gives back once what went before has left behind (processes/surroundings/memory-at-rest.ts). */
const restMs = 30_000;
const afterMs = 2_000;

const results: { peer: string; figures: Figures }[] = [];
const options = { kubeconfig: flags.kubeconfig, audits: true, pollingSeconds };
await inWorlds(flags.peers, options, async (world) => {
  await using repository = await createSampleRepository(count);
  await createApplications(world.kube, { count, repoUrl: repository.url, signal });
  await untilSettled(world.kube, { count, signal });
  await sleep(restMs, undefined, { signal });
  const idle = await spending(world, "idle", () => sleep(idleMs, undefined, { signal }));
  let healedMs = Number.NaN;
  const drift = await spending(world, "one changed object", async () => {
    healedMs = await changeOne(world.kube);
    await sleep(afterMs, undefined, { signal });
  });
  const healed = { "one changed object: as it was after, ms": healedMs };
  results.push({ peer: world.name, figures: { ...idle, ...healed, ...drift } });
});
printFigures(`steady-state: ${count} applications of 4 objects, idle for ${idleMs / 1000} s`, results);

async function spending(world: World, name: string, step: () => Promise<unknown>): Promise<Figures> {
  const [counted, asked] = [await world.counters(), await world.audit?.counts()];
  const before = costsOf(world.pids);
  await step();
  const costs = costsSince(before, costsOf(world.pids));
  // Whoever reads the counters is looked up in the cluster: not before what it was asked has been counted.
  const requests = asked && world.audit ? countsSince(asked, await world.audit.counts()) : new Map();
  const looks = "argocd_app_reconcile_count";
  const looked = ((await world.counters())[looks] ?? Number.NaN) - (counted[looks] ?? 0);
  for (const [what, times] of requests) console.log(`${world.name}: ${name}: ${what}: ${times}`);
  return {
    [`${name}: CPU, ms`]: sum(costs, ({ cpuSeconds }) => cpuSeconds) * 1000,
    [`${name}: requests to the API server`]: [...requests.values()].reduce((total, one) => total + one, 0),
    [`${name}: applications looked at`]: looked,
    [`${name}: memory, MB`]: sum(costs, ({ megabytes }) => megabytes),
  };
}

function sum(costs: Readonly<Record<string, Cost>>, of: (cost: Cost) => number): number {
  return ownCosts(costs).reduce((total, [, cost]) => total + of(cost), 0);
}

/** Milliseconds until an edited ConfigMap is put back, since the applications heal themselves. */
async function changeOne(kube: KubeClient): Promise<number> {
  const ref: ObjectRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "app-7" };
  const wanted = JSON.stringify((await kube.get(ref, signal))?.data);
  const started = performance.now();
  const body = { data: { value: "edited" } };
  await kube.patch(ref, { type: "merge", body }, { fieldManager: "bench", signal });
  while (JSON.stringify((await kube.get(ref, signal))?.data) !== wanted)
    await sleep(20, undefined, { signal });
  return performance.now() - started;
}
