/**
 * The embedded cluster beside a real etcd, kube-apiserver and kube-controller-manager, with the same objects.
 * `node bench/cluster.ts [--objects 10000] [--peers embedded,real]`
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lackingRealCluster, startEmbeddedCluster, startRealCluster } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { type ClusterLoad, clusterLoad } from "./cluster-load.ts";
import { costsOf, megabytesNow } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";

const { values } = programFlags({ options: { objects: { type: "string" }, peers: { type: "string" } } });
const count = Number(values.objects ?? 10_000);
const wanted = values.peers?.split(",") ?? ["embedded", "real"];

const watchers = 20;
const changes = Math.min(1_000, count / 4);
const applied = Math.min(4_000, count);
const quietMs = 1_500;

type Started = Pick<
  Awaited<ReturnType<typeof startRealCluster>>,
  "url" | "token" | "pids" | typeof Symbol.asyncDispose
>;

async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return (performance.now() - started) / 1_000;
}

/** Seconds, of all of these processes. */
function cpuOf(pids: Readonly<Record<string, number>>): number {
  return Object.values(costsOf(pids)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** Controllers still work on what was created: what they cost is not the next step's. */
async function untilQuiet(pids: Readonly<Record<string, number>>): Promise<void> {
  for (let before = cpuOf(pids), after = before + 1; after - before > 0.15; ) {
    before = cpuOf(pids);
    await sleep(quietMs);
    after = cpuOf(pids);
  }
}

async function measure(load: ClusterLoad, { pids }: Started): Promise<Figures> {
  const server = Object.fromEntries(Object.entries(pids).filter(([name]) => !name.includes("manager")));
  const created = await secondsOf(() => load.create());
  const createdCpu = cpuOf(server);
  await untilQuiet(pids);
  const megabytes = megabytesNow(server);
  await load.list(0);
  const listed = await secondsOf(() => load.list(0));
  await load.list(500);
  const paged = await secondsOf(() => load.list(500));
  await load.fanOut(watchers, changes);
  const fannedOut = await secondsOf(() => load.fanOut(watchers, changes));
  await load.apply(applied);
  await untilQuiet(pids);
  const before = cpuOf(server);
  const reapplied = await secondsOf(() => load.apply(applied));
  const appliedCpu = cpuOf(server) - before;
  const peaks = Object.values(costsOf(server)).map(({ peakMegabytes }) => peakMegabytes);
  return {
    "create, a second": count / created,
    "list all, objects a second": count / listed,
    "list by 500, objects a second": count / paged,
    [`changes x ${watchers} watchers, events a second`]: (changes * watchers) / fannedOut,
    "unchanged apply, a second": applied / reapplied,
    "CPU of a creation, us": (createdCpu * 1e6) / count,
    "CPU of an unchanged apply, us": (appliedCpu * 1e6) / applied,
    "memory with objects, MB": megabytes,
    "peak memory, MB": peaks.reduce((sum, one) => sum + one, 0),
  };
}

async function run(cluster: Started): Promise<Figures> {
  const config = { server: cluster.url, bearerToken: cluster.token, insecure: true };
  await using load = clusterLoad(config, count);
  return await measure(load, cluster);
}

async function runEmbedded(): Promise<Figures> {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  try {
    const figures = await startAndRun(dataDir);
    await using again = await startEmbeddedCluster({ dataDir });
    return {
      ...figures,
      "start with objects, ms": again.readyMs,
      "CPU of that start, ms": cpuOf(again.pids) * 1_000,
    };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function startAndRun(dataDir: string): Promise<Figures> {
  await using cluster = await startEmbeddedCluster({ dataDir });
  return await run(cluster);
}

async function runReal(): Promise<Figures> {
  await using cluster = await startRealCluster();
  return await run(cluster);
}

const lacking = lackingRealCluster();
const results: { peer: string; figures: Figures }[] = [];
if (wanted.includes("embedded")) results.push({ peer: "embedded", figures: await runEmbedded() });
if (wanted.includes("real") && lacking) console.log(`real: skipped: ${lacking}`);
else if (wanted.includes("real")) results.push({ peer: "real", figures: await runReal() });
printFigures(`cluster, ${count} objects`, results);
