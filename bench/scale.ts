/**
 * `node bench/scale.ts [--apps 500,1000,2000,5000] [--clusters 50] [--objects 1] [--repositories 10]
 * [--peers capstan,argocd] [--minutes 60]`: how costs grow with the number of applications, deployed to many clusters
 * (0: to the one that they live in): the first sync, one commit, a restart, memory at rest; beside the real Argo CD.
 * The clusters are processes of their own, whose costs stand apart. CNOE's test is
 * `--apps 15000 --clusters 0 --objects 1 --peers capstan`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { GitRepository } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { type Cost, costOf, costsOf, costsSince } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";
import { fileOf, untilSettled } from "./sample-applications.ts";
import { createAll, createRepositories, type Size, textOf } from "./scale/applications.ts";
import { addClusters, type Fleet, startFleet } from "./scale/fleet.ts";
import { type ScalePeer, type ScaleWorld, scalePeers } from "./scale/peers.ts";

const { values: flags } = programFlags({
  options: {
    apps: { type: "string", default: "500,1000,2000,5000" },
    clusters: { type: "string", default: "50" },
    objects: { type: "string", default: "1" },
    repositories: { type: "string", default: "10" },
    peers: { type: "string", default: scalePeers.map(({ name }) => name).join(",") },
    minutes: { type: "string", default: "60" },
  },
});
const clusters = flags.clusters === "0" ? 0 : wholeNumber("clusters", flags.clusters);
const objects = wholeNumber("objects", flags.objects);
if (objects !== 1 && objects !== 4) throw new Error("--objects is 1 or 4");
const limitMs = wholeNumber("minutes", flags.minutes) * 60_000;
const wanted = flags.peers.split(",");
const restMs = 10_000;
/** Of an application of one object, where there are thousands: what is more is looked into. */
const budgets = {
  cpu: "an application: CPU of its first sync, µs (10000)",
  memory: "an application: memory at rest, KB (150)",
  requests: "an application: requests to its cluster (3)",
} as const;

for (const applications of flags.apps.split(",").map((text) => wholeNumber("apps", text))) {
  const size: Size = { applications, objects, repositories: wholeNumber("repositories", flags.repositories) };
  const results: { peer: string; figures: Figures }[] = [];
  for (const peer of scalePeers.filter(({ name }) => wanted.includes(name))) {
    const lacking = peer.lacking();
    if (lacking) console.log(`${peer.name}: skipped: ${lacking}`);
    else results.push({ peer: peer.name, figures: await play(peer, size) });
  }
  printFigures(
    `scale: ${applications} applications of ${objects} objects, ${clusters || "no other"} clusters`,
    results,
  );
}

interface Stage extends Size {
  readonly world: ScaleWorld;
  readonly fleet: Fleet;
  readonly repositories: number;
  readonly sources: readonly GitRepository[];
  readonly signal: AbortSignal;
}

async function play(peer: ScalePeer, size: Size): Promise<Figures> {
  await using opened = new AsyncDisposableStack();
  const signal = AbortSignal.timeout(limitMs);
  const sources = await createRepositories(size);
  for (const one of sources) opened.use(one);
  const fleet = opened.use(await startFleet(clusters));
  const world = opened.use(await peer.start());
  await addClusters(world.kube, fleet, signal);
  const stage: Stage = { ...size, world, fleet, sources, signal };
  const before = memoryOf(world);
  const first = await costing(stage, { name: "first sync", step: () => firstSync(stage) });
  const rest = await atRest(stage);
  const each = await ofEach(stage, { before, cpuMs: first["first sync: CPU, ms"] ?? 0 });
  const commit = await costing(stage, { name: "one commit", step: () => oneCommit(stage) });
  const { restart } = world;
  const again = restart
    ? await costing(stage, { name: "restart", step: () => restart(size.applications, signal), isFresh: true })
    : {};
  return { ...first, ...rest, ...each, ...commit, ...again };
}

async function firstSync({ world, fleet, sources, signal, ...size }: Stage): Promise<void> {
  await createAll(world.kube, size, { repositories: sources, destinations: fleet.destinations, signal });
  await untilSettled(world.kube, { count: size.applications, signal });
}

/** Touches the first application of the first repository; all of that repository come to be at the commit. */
async function oneCommit({ world, sources: [repository], signal, ...size }: Stage): Promise<void> {
  if (!repository) throw new Error("there is no repository");
  const before = await repository.git("rev-parse", "HEAD");
  const revision = await repository.commit({ [fileOf(0)]: textOf(0, "second", size) });
  await world.push(repository.url, { before, after: revision, files: [fileOf(0)] });
  const count = Math.ceil(size.applications / size.repositories);
  await untilSettled(world.kube, { count, revision, signal });
}

async function atRest({ world, fleet }: Stage): Promise<Figures> {
  await sleep(restMs);
  const before = costsOf(world.pids());
  await sleep(restMs);
  const cpu = totalOf(costsSince(before, costsOf(world.pids())));
  return {
    "memory at rest, MB": memoryOf(world),
    "memory of the other clusters, MB": sum(Object.values(fleet.pids).map((pid) => costOf(pid).megabytes)),
    "CPU of 10 s at rest, ms": cpu * 1000,
  };
}

/** What one application more costs; what the program itself takes is left out. */
async function ofEach(
  { world, applications }: Stage,
  { before, cpuMs }: { before: number; cpuMs: number },
): Promise<Figures> {
  const requests = await world.requests?.();
  return {
    [budgets.cpu]: (cpuMs * 1_000) / applications,
    [budgets.memory]: ((memoryOf(world) - before) * 1_024) / applications,
    ...(requests === undefined ? {} : { [budgets.requests]: requests / applications }),
  };
}

function memoryOf(world: ScaleWorld): number {
  return sum(Object.values(world.pids()).map((pid) => costOf(pid).megabytes));
}

interface Step {
  readonly name: string;
  readonly step: () => Promise<void>;
  /** It starts the process anew: all that the new one takes counts. */
  readonly isFresh?: true;
}

async function costing({ world, fleet }: Stage, { name, step, isFresh }: Step): Promise<Figures> {
  const [own, others] = [costsOf(world.pids()), costsOf(fleet.pids)];
  const started = performance.now();
  await step();
  const ms = performance.now() - started;
  const spent = costsSince(isFresh ? {} : own, costsOf(world.pids()));
  const elsewhere = costsSince(others, costsOf(fleet.pids));
  return {
    [`${name}, ms`]: ms,
    [`${name}: CPU, ms`]: totalOf(spent) * 1000,
    ...(clusters > 0 && { [`${name}: CPU of the other clusters, ms`]: totalOf(elsewhere) * 1000 }),
    [`${name}: peak memory so far, MB`]: sum(Object.values(spent).map((one) => one.peakMegabytes)),
  };
}

function totalOf(costs: Readonly<Record<string, Cost>>): number {
  return sum(Object.values(costs).map(({ cpuSeconds }) => cpuSeconds));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
