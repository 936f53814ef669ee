import { programFlags } from "@capstan/testkit/program-flags";
import { costsOf, costsSince } from "./process-cost.ts";
import { printReport, type Result } from "./report.ts";
import { peers, type World } from "./worlds.ts";

export interface BenchOptions {
  title: string;
  /** Brings the world to where measuring starts. */
  prepare(world: World, options: RunOptions): Promise<unknown>;
  measure(world: World, options: RunOptions): Promise<void>;
}

export interface RunOptions {
  count: number;
  signal: AbortSignal;
}

const limitMs = 15 * 60_000;
/** Counters worth a line, if the peer has them. */
const shownCounters = /^(capstan_renders_total|capstan_kube_requests_total|capstan_git_requests_total)$/;

/**
 * `node bench/NAME.ts [--apps 200] [--peers capstan-embedded,capstan-real,argocd-real] [--kubeconfig FILE]`:
 * each peer in a world of its own, one after the other.
 */
export async function runBench(bench: BenchOptions): Promise<void> {
  const { values } = programFlags({
    options: { apps: { type: "string" }, peers: { type: "string" }, kubeconfig: { type: "string" } },
  });
  const count = Number(values.apps ?? 200);
  const wanted = values.peers?.split(",");
  const results: Result[] = [];
  for (const peer of peers) {
    if (wanted && !wanted.includes(peer.name)) continue;
    const lacking = peer.lacking();
    if (lacking) {
      console.log(`${peer.name}: skipped: ${lacking}`);
      continue;
    }
    await using world = await peer.start({ kubeconfig: values.kubeconfig });
    results.push(await measure(bench, world, { count, signal: AbortSignal.timeout(limitMs) }));
  }
  printReport(`${bench.title}, ${count} applications of 4 objects`, results);
}

async function measure(bench: BenchOptions, world: World, options: RunOptions): Promise<Result> {
  await bench.prepare(world, options);
  // Who reads the counters logs in, which is made to take long: before anything is measured.
  const counted = await world.counters();
  const before = costsOf(world.pids);
  const started = performance.now();
  await bench.measure(world, options);
  const wallSeconds = (performance.now() - started) / 1000;
  const costs = costsSince(before, costsOf(world.pids));
  const counters = Object.fromEntries(
    Object.entries(await world.counters())
      .filter(([name]) => shownCounters.test(name))
      .map(([name, value]) => [name, value - (counted[name] ?? 0)]),
  );
  return { peer: world.name, wallSeconds, costs, counters };
}
