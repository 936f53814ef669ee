import { programFlags, wholeNumber, wrongCall } from "@capstan/testkit/program-flags";
import { costsOf, costsSince } from "./process-cost.ts";
import { printReport, type Result } from "./report.ts";
import { type SampleKind, sampleKinds } from "./sample-applications.ts";
import { peers, type World, type WorldOptions } from "./worlds.ts";

export interface BenchOptions {
  title: string;
  /** Brings the world to where measuring starts. */
  prepare(world: World, options: RunOptions): Promise<unknown>;
  measure(world: World, options: RunOptions): Promise<void>;
}

export interface RunOptions {
  count: number;
  /** What the applications' objects are made of. */
  kind: SampleKind;
  signal: AbortSignal;
}

const limitMs = 15 * 60_000;
/** Counters worth a line, if the peer has them. */
const shownCounters =
  /^(capstan_renders_total|argocd_git_request_total|argocd_app_reconcile_count|argocd_app_k8s_request_total)$/;

/**
 * `node bench/NAME.ts [--apps 200] [--source plain|helm|kustomize] [--peers capstan-embedded,capstan-real,argocd-real]
 * [--kubeconfig FILE]`: each peer in a world of its own, one after the other.
 */
export async function runBench(bench: BenchOptions): Promise<RunOptions> {
  const { values } = programFlags({
    options: {
      apps: { type: "string", default: "200" },
      source: { type: "string", default: "plain" },
      peers: { type: "string" },
      kubeconfig: { type: "string" },
    },
  });
  const options = { count: wholeNumber("apps", values.apps), kind: kindOf(values.source) };
  const results: Result[] = [];
  await inWorlds(values.peers, { kubeconfig: values.kubeconfig }, async (world) => {
    results.push(await measure(bench, world, { ...options, signal: AbortSignal.timeout(limitMs) }));
  });
  printReport(`${bench.title}, ${options.count} applications of 4 objects, ${options.kind}`, results);
  return { ...options, signal: AbortSignal.timeout(limitMs) };
}

function kindOf(text: string): SampleKind {
  return sampleKinds.find((one) => one === text) ?? wrongCall(`--source ${text}: ${sampleKinds.join(", ")}`);
}

/** Each peer that was named, and can run here, one after the other: who it is stands on standard error meanwhile. */
export async function inWorlds(
  names: string | undefined,
  options: WorldOptions,
  play: (world: World) => Promise<void>,
): Promise<void> {
  const wanted = names?.split(",");
  const unknown = wanted?.find((name) => !peers.some((peer) => peer.name === name));
  if (unknown !== undefined)
    wrongCall(`--peers ${unknown}: there are ${peers.map(({ name }) => name).join(", ")}`);
  for (const peer of peers) {
    if (wanted && !wanted.includes(peer.name)) continue;
    const lacking = peer.lacking();
    if (lacking) {
      console.log(`${peer.name}: skipped: ${lacking}`);
      continue;
    }
    console.error(`${peer.name} plays …`);
    await using world = await peer.start(options);
    await play(world);
  }
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
