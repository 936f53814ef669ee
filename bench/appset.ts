/**
 * `node bench/appset.ts [--apps 1000] [--adds 3] [--peers capstan-embedded,parts-embedded,argocd-embedded,…]`:
 * an ApplicationSet of that many directories of a git repository, until its Applications are there; then one directory
 * more, told by the refresh annotation, until its Application is there, and so on: of those the mean. Nobody reconciles
 * the Applications. `parts`: `capstan application-set` as a program beside the cluster, as the real controller is.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import {
  createGitRepository,
  eventually,
  type GitRepository,
  lackingArgoCD,
  lackingRealCluster,
  startArgoCD,
  startCapstan,
  startEmbeddedCluster,
  startRealCluster,
} from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { openPartsWorld } from "../processes/parts/parts-world.ts";
import { type Cost, costsOf, costsSince } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";
import { upFlags } from "./worlds.ts";

const { values } = programFlags({
  options: { apps: { type: "string" }, adds: { type: "string" }, peers: { type: "string" } },
});
const count = Number(values.apps ?? 1_000);
const adds = Number(values.adds ?? 3);
const namespace = "argocd";
const apiVersion = "argoproj.io/v1alpha1";
const signal = AbortSignal.timeout(20 * 60_000);
/** What comes after the new Application, the set's status for one, counts too. */
const windowMs = 10_000;
const ref = { apiVersion, kind: "ApplicationSet", namespace, name: "bench" };

interface World extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly git: GitRepository;
  readonly pids: Readonly<Record<string, number>>;
}

interface Peer {
  readonly name: string;
  lacking(): string | false;
  start(): Promise<World>;
}

const directory = (index: number) => `apps/app-${String(index).padStart(5, "0")}/values.yaml`;
const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [directory(index), "a: 1\n"]));

async function startParts(): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await openPartsWorld(files));
  const { pid } = await world.start("application-set", ["--allow-folder", world.repository.dir]);
  const closing = opened.move();
  return {
    kube: world.cluster.kube,
    git: world.repository,
    pids: { "application-set": pid, ...world.cluster.pids },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function startOurs(isReal: boolean): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const real = isReal ? opened.use(await startRealCluster()) : undefined;
  const capstan = opened.use(await startCapstan({ flags: upFlags(real?.kubeconfig) }));
  const git = opened.use(await createGitRepository(files));
  const closing = opened.move();
  return {
    git,
    kube: real?.kube ?? capstan.kube,
    pids: { capstan: capstan.status.pid, ...real?.pids },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function startTheirs(isReal: boolean): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await (isReal ? startRealCluster() : startEmbeddedCluster()));
  const only = ["redis-server", "argocd-repo-server", "argocd-applicationset-controller"];
  const argo = opened.use(await startArgoCD(cluster, { only }));
  const git = opened.use(await createGitRepository(files));
  const closing = opened.move();
  return {
    git,
    kube: cluster.kube,
    pids: { ...argo.pids, ...cluster.pids },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const peers: readonly Peer[] = [
  { name: "capstan-embedded", lacking: () => false, start: () => startOurs(false) },
  { name: "parts-embedded", lacking: () => false, start: startParts },
  { name: "argocd-embedded", lacking: lackingArgoCD, start: () => startTheirs(false) },
  { name: "capstan-real", lacking: lackingRealCluster, start: () => startOurs(true) },
  {
    name: "argocd-real",
    lacking: () => lackingRealCluster() || lackingArgoCD(),
    start: () => startTheirs(true),
  },
];

const setOf = (repoURL: string): Manifest => ({
  ...ref,
  metadata: { name: ref.name, namespace },
  spec: {
    goTemplate: true,
    goTemplateOptions: ["missingkey=error"],
    generators: [{ git: { repoURL, revision: "main", directories: [{ path: "apps/*" }] } }],
    template: {
      metadata: {
        name: "{{ .path.basenameNormalized }}",
        labels: { team: '{{ index .path.segments 1 | trunc 5 | trimSuffix "-" }}' },
        annotations: { "argocd.argoproj.io/skip-reconcile": "true" },
      },
      spec: {
        project: "default",
        source: { repoURL, targetRevision: "main", path: "{{ .path.path }}" },
        destination: { server: "https://kubernetes.default.svc", namespace: "{{ .path.basename }}" },
      },
    },
  },
});

/** Names alone, in one answer of a watch cache: asked seldom, so that it costs those who are measured little. */
async function countApplications(kube: KubeClient): Promise<number> {
  return (await kube.list({ apiVersion, kind: "Application", namespace }, signal)).items.length;
}

async function untilCount(kube: KubeClient, wanted: number): Promise<void> {
  let last = 0;
  await eventually(
    async () => {
      last = await countApplications(kube);
      if (last < wanted) await sleep(2_000);
      return last === wanted || undefined;
    },
    { signal, describe: () => `${last} of ${wanted} Applications` },
  );
}

const clusterPrograms = new Set(["etcd", "kube-apiserver", "kube-controller-manager", "embedded-cluster"]);

function totals(costs: Readonly<Record<string, Cost>>): { own: Cost; cluster: number } {
  const own = { cpuSeconds: 0, peakMegabytes: 0, megabytes: 0 };
  let cluster = 0;
  for (const [name, { cpuSeconds, peakMegabytes, megabytes }] of Object.entries(costs))
    if (clusterPrograms.has(name)) cluster += cpuSeconds;
    else {
      own.cpuSeconds += cpuSeconds;
      own.peakMegabytes += peakMegabytes;
      own.megabytes += megabytes;
    }
  return { own, cluster };
}

/** Until its Application is there, and for whole windows until the set's status has followed. */
async function addOne({ kube, pids, git }: World, index: number) {
  await git.commit({ [directory(index)]: "a: 1\n" });
  const before = costsOf(pids);
  const addedAt = performance.now();
  const annotations = { "argocd.argoproj.io/application-set-refresh": "true" };
  await kube.patch(ref, { type: "merge", body: { metadata: { annotations } } }, { signal });
  const name = `app-${String(index).padStart(5, "0")}`;
  await eventually(async () => kube.get({ ...ref, kind: "Application", name }, signal), {
    signal,
    describe: () => "it is not there",
  });
  const wallMs = performance.now() - addedAt;
  await sleep(windowMs - (wallMs % windowMs));
  return { wallMs, windows: Math.ceil(wallMs / windowMs), ...totals(costsSince(before, costsOf(pids))) };
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

async function measure(world: World): Promise<Figures> {
  const { kube, pids, git } = world;
  const begun = costsOf(pids);
  const startedAt = performance.now();
  await kube.create(setOf(git.url), { signal });
  await untilCount(kube, count);
  const madeMs = performance.now() - startedAt;
  await sleep(windowMs);
  const made = totals(costsSince(begun, costsOf(pids)));

  const quiet = costsOf(pids);
  await sleep(windowMs);
  const idle = totals(costsSince(quiet, costsOf(pids)));

  const added: Awaited<ReturnType<typeof addOne>>[] = [];
  for (let more = 0; more < adds; more += 1) added.push(await addOne(world, count + more));
  const own = added.map((one) => (one.own.cpuSeconds - idle.own.cpuSeconds * one.windows) * 1_000);
  const cluster = added.map((one) => (one.cluster - idle.cluster * one.windows) * 1_000);
  return {
    "all: wall, ms": madeMs,
    "all: CPU, ms": made.own.cpuSeconds * 1_000,
    "all: CPU of the cluster, ms": made.cluster * 1_000,
    [`idle for ${windowMs / 1_000} s: CPU, ms`]: idle.own.cpuSeconds * 1_000,
    "one more: wall, ms": mean(added.map(({ wallMs }) => wallMs)),
    "the first more: CPU without idle, ms": own[0] ?? Number.NaN,
    "one more: CPU without idle, ms": mean(own),
    "one more: CPU of the cluster without idle, ms": mean(cluster),
    "peak memory, MB": added.at(-1)?.own.peakMegabytes ?? Number.NaN,
  };
}

const wanted = values.peers?.split(",");
const results: { peer: string; figures: Figures }[] = [];
for (const peer of peers) {
  if (wanted && !wanted.includes(peer.name)) continue;
  const lacking = peer.lacking();
  if (lacking) {
    console.log(`${peer.name}: skipped: ${lacking}`);
    continue;
  }
  await using world = await peer.start();
  const figures = await measure(world);
  console.log(`${peer.name}: ${JSON.stringify(figures)}`);
  results.push({ peer: peer.name, figures });
}
printFigures(`an ApplicationSet of ${count} directories`, results);
