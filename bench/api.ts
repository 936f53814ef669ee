/**
 * The API server alone with many Applications: lists, streams and memory, beside the real argocd-server on the same
 * cluster. `node bench/api.ts [--apps 10000] [--peers capstan,argocd] [--short]`
 */
import type { KubeClient } from "@capstan/kube";
import { eventually, startEmbeddedCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { headerOf, type Measured, measureGet, readList, watch } from "./api/load.ts";
import { changeApplication, createApplications } from "./api/objects.ts";
import { type CostedServer, cpuOf, type Peer, peers } from "./api/peers.ts";
import { megabytesNow, ownCost } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";

const options = {
  apps: { type: "string" },
  peers: { type: "string" },
  short: { type: "boolean", default: false },
} as const;
const { values } = programFlags({ options });
const count = wholeNumber("apps", values.apps ?? (values.short ? "1000" : "10000"));
const wanted = values.peers?.split(",") ?? ["capstan", "argocd"];
const [rounds, wholeRounds, changes] = values.short ? [20, 3, 5] : [100, 10, 30];
const watchers = 100;
const openedMs = 10_000;
const opensTried = 12;
const readAllMs = 120_000;

/** What a row of the page shows: Capstan's page asks for these, and both servers know them. */
const fields = [
  ...["metadata.name", "metadata.namespace", "metadata.labels", "metadata.creationTimestamp"],
  ...[
    "metadata.resourceVersion",
    "spec",
    "status.sync.status",
    "status.health",
    "status.operationState.phase",
  ],
  ...["status.operationState.finishedAt"],
];
const cut = (prefix: string) => [...fields.map((field) => `${prefix}.${field}`)].join(",");
const list = `/api/v1/applications?fields=metadata.resourceVersion,${cut("items")}`;
const stream = `/api/v1/stream/applications?fields=result.type,${cut("result.application")}`;

interface Question {
  readonly what: string;
  readonly path: string;
  /** Where the other server has no such parameter: how its clients ask. */
  readonly elsewhere?: string;
  readonly rounds: number;
  readonly isPacked?: true;
}

const questions: readonly Question[] = [
  { what: "first page", path: `${list}&limit=100&sort=state`, elsewhere: list, rounds },
  {
    what: "first page, packed",
    path: `${list}&limit=100&sort=state`,
    elsewhere: list,
    rounds,
    isPacked: true,
  },
  {
    what: "of a label",
    path: `${list}&limit=100&selector=team%3Dteam-7`,
    elsewhere: `${list}&selector=team%3Dteam-7`,
    rounds,
  },
  { what: "of a state", path: `${list}&limit=100&health=Degraded`, elsewhere: list, rounds },
  { what: "of words", path: `${list}&limit=100&search=team-13%20production`, elsewhere: list, rounds },
  { what: "by last sync", path: `${list}&limit=100&sort=changed`, elsewhere: list, rounds },
  { what: "rows of all", path: list, rounds: wholeRounds },
  { what: "all, whole", path: "/api/v1/applications", rounds: wholeRounds },
];

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

function figuresOf(what: string, { ms, bytes, cpuMs }: Measured): Figures {
  const sorted = ms.toSorted((left, right) => left - right);
  return {
    [`${what}: p50, ms`]: at(sorted, 0.5),
    [`${what}: p95, ms`]: at(sorted, 0.95),
    [`${what}: server's CPU, ms`]: cpuMs,
    [`${what}: KB`]: bytes / 1_000,
  };
}

async function askAll(server: CostedServer, isOwn: boolean): Promise<Figures> {
  let figures: Figures = {};
  for (const { what, path, elsewhere, isPacked, ...one } of questions) {
    const asked = isOwn ? path : (elsewhere ?? path);
    const headers = isPacked ? { "accept-encoding": "gzip, deflate, br" } : {};
    // Rounds of a few hundred milliseconds each are enough of them.
    const times = asked === list && !isOwn ? wholeRounds : one.rounds;
    figures = {
      ...figures,
      ...figuresOf(what, await measureGet(server, { path: asked, headers, rounds: times })),
    };
  }
  if (!isOwn) return figures;
  const tag = await headerOf(server, list, "etag");
  const headers = { "if-none-match": tag };
  return {
    ...figures,
    ...figuresOf("rows of all, unchanged", await measureGet(server, { path: list, headers, rounds })),
  };
}

/** From the request until everything there is has come. */
async function watchAll(server: CostedServer): Promise<Figures> {
  const before = cpuOf(server);
  const started = performance.now();
  await using watcher = await watch(server, stream);
  await watcher.untilMessages(count);
  return {
    "watch of all, until all came, ms": performance.now() - started,
    "watch of all: server's CPU, ms": cpuOf(server) - before,
    "watch of all: KB": watcher.bytes() / 1_000,
  };
}

async function fanOut(server: CostedServer, kube: KubeClient): Promise<Figures> {
  const { metadata } = await readList(server, list);
  const since = `${stream}&resourceVersion=${metadata.resourceVersion}`;
  await using opened = new AsyncDisposableStack();
  const all = await Promise.all(Array.from({ length: watchers }, () => watch(server, since)));
  for (const one of all) opened.use(one);
  const seeAll = async (index: number, withinMs?: number): Promise<number[]> => {
    const seen = all.map((one) => one.untilText(`"at-${index}"`, withinMs));
    const started = performance.now();
    await changeApplication(kube, index);
    return (await Promise.all(seen)).map((when) => when - started);
  };
  // argocd-server says nothing of what came before a stream was open, nor when it is.
  let isOpen = false;
  for (let tried = 0; !isOpen; tried += 1)
    isOpen = await seeAll(nextChange(), openedMs).then(
      () => true,
      (error: unknown) => {
        if (tried === opensTried) throw error;
        return false;
      },
    );
  const ms: number[] = [];
  const before = cpuOf(server);
  for (let change = 0; change < changes; change += 1) ms.push(Math.max(...(await seeAll(nextChange()))));
  const sorted = ms.toSorted((left, right) => left - right);
  return {
    [`one change, ${watchers} watchers: all saw it, p50, ms`]: at(sorted, 0.5),
    [`one change, ${watchers} watchers: all saw it, p95, ms`]: at(sorted, 0.95),
    [`one change, ${watchers} watchers: server's CPU, ms`]: (cpuOf(server) - before) / changes,
  };
}

let changed = 0;
function nextChange(): number {
  changed += 1;
  return changed;
}

function memoryOf({ pids }: CostedServer): number {
  return Object.values(pids).reduce((sum, pid) => sum + ownCost(pid).peakMegabytes, 0);
}

function memoryNow(when: string, { pids }: CostedServer): Figures {
  return {
    [`memory ${when}, MB`]: megabytesNow(pids),
    [`memory ${when}, of which file pages, MB`]: megabytesNow(pids, "RssFile"),
  };
}

async function measure(
  peer: Peer,
  cluster: Awaited<ReturnType<typeof startEmbeddedCluster>>,
): Promise<Figures> {
  await using server = await peer.start(cluster);
  // It may serve before it has read everything.
  const isRead = async () => ((await readList(server, list)).items ?? []).length === count || undefined;
  const signal = AbortSignal.timeout(readAllMs);
  await eventually(isRead, { signal, describe: () => `${peer.name} has not read ${count} applications` });
  const afterStart = memoryNow("after start", server);
  const page = await askAll(server, peer.name === "capstan");
  const watched = await watchAll(server);
  const fanned = await fanOut(server, cluster.kube);
  return {
    ...page,
    ...watched,
    ...fanned,
    ...afterStart,
    ...memoryNow("at the end", server),
    "peak memory, MB": memoryOf(server),
  };
}

await using cluster = await startEmbeddedCluster();
await createApplications(cluster.kube, count);
const results: { peer: string; figures: Figures }[] = [];
for (const peer of peers.filter(({ name }) => wanted.includes(name))) {
  const lacking = peer.lacking();
  if (lacking) console.log(`${peer.name}: skipped: ${lacking}`);
  else results.push({ peer: peer.name, figures: await measure(peer, cluster) });
}
printFigures(`API server, ${count} applications`, results);
