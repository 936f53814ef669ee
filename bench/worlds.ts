/** The peers of a run: Capstan on its embedded cluster, Capstan and Argo CD on the real control plane. */
import { tmpdir } from "node:os";
import type { KubeClient } from "@capstan/kube";
import {
  type CapstanProcess,
  lackingArgoCD,
  lackingRealCluster,
  startArgoCD,
  startCapstan,
  startEmbeddedCluster,
  startRealCluster,
} from "@capstan/testkit";

export interface World extends AsyncDisposable {
  readonly name: string;
  readonly kube: KubeClient;
  readonly pids: Readonly<Record<string, number>>;
  /** Tells it of a push, as a git server would. */
  push(repoUrl: string, push: Push): Promise<void>;
  /** Counters by name; empty where the peer has none. */
  counters(): Promise<Record<string, number>>;
}

export interface Push {
  before: string;
  after: string;
  files: readonly string[];
}

export interface Peer {
  readonly name: string;
  /** Why it cannot run here, or false. */
  readonly lacking: () => string | false;
  readonly start: (options: { kubeconfig?: string | undefined }) => Promise<World>;
}

export async function postPush(url: string, repoUrl: string, push: Push): Promise<void> {
  const body = {
    ref: "refs/heads/main",
    before: push.before,
    after: push.after,
    repository: { html_url: repoUrl, clone_url: repoUrl, default_branch: "main" },
    commits: [{ id: push.after, added: [], removed: [], modified: push.files }],
  };
  const answer = await fetch(`${url}/api/webhook`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-github-event": "push" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`webhook answered ${answer.status}: ${await answer.text()}`);
}

/** Sums of Prometheus samples by metric name. */
async function readCounters({ api }: CapstanProcess): Promise<Record<string, number>> {
  const text = String((await api("GET", "/metrics")).body);
  const sums: Record<string, number> = {};
  for (const [, name = "", value = "0"] of text.matchAll(/^([a-z_]+)(?:\{[^}]*\})? ([0-9.e+-]+)$/gm))
    sums[name] = (sums[name] ?? 0) + Number(value);
  return sums;
}

/** Of `capstan up`, with the cluster of a kubeconfig or its own. */
export function upFlags(kubeconfig: string | undefined): string[] {
  // Another cluster's applications may use no folder of this machine unless its operator says so.
  const cluster = kubeconfig ? ["--kubeconfig", kubeconfig, "--allow-folder", tmpdir()] : [];
  return ["--no-samples", "--log-format", "json", ...cluster];
}

async function startCapstanWorld(
  name: string,
  { kubeconfig }: { kubeconfig?: string | undefined },
): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const real =
    name.includes("real") && kubeconfig === undefined ? opened.use(await startRealCluster()) : undefined;
  const target = kubeconfig ?? real?.kubeconfig;
  const capstan = opened.use(await startCapstan({ flags: upFlags(target) }));
  const closing = opened.move();
  return {
    name,
    kube: real?.kube ?? capstan.kube,
    pids: { capstan: capstan.status.pid, ...real?.pids },
    push: (repoUrl, push) => postPush(capstan.url, repoUrl, push),
    counters: () => readCounters(capstan),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Argo CD's webhook takes no file:// URLs: what it would do, an annotation on every application of the repository. */
export async function refreshAll(kube: KubeClient, repoUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const type = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
  const waiting = (await kube.list(type, signal)).items.filter((one) =>
    JSON.stringify(one.spec).includes(JSON.stringify(repoUrl)),
  );
  const body = { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } };
  const workers = Array.from({ length: 16 }, async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      await kube.patch({ ...type, name: next.metadata.name ?? "" }, { type: "merge", body }, { signal });
  });
  await Promise.all(workers);
}

async function startArgoWorld(name: string): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const start = name.includes("embedded") ? startEmbeddedCluster : startRealCluster;
  const { kube, kubeconfigFor, pids } = opened.use(await start());
  const argo = opened.use(await startArgoCD({ kube, kubeconfigFor }));
  const closing = opened.move();
  return {
    name,
    kube,
    pids: { ...argo.pids, ...pids },
    push: (repoUrl) => refreshAll(kube, repoUrl),
    counters: async () => ({}),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

export const peers: readonly Peer[] = [
  {
    name: "capstan-embedded",
    lacking: () => false,
    start: () => startCapstanWorld("capstan-embedded", {}),
  },
  {
    name: "capstan-real",
    lacking: lackingRealCluster,
    start: (options) => startCapstanWorld("capstan-real", options),
  },
  {
    name: "argocd-real",
    lacking: () => lackingRealCluster() || lackingArgoCD(),
    start: () => startArgoWorld("argocd-real"),
  },
  {
    name: "argocd-embedded",
    lacking: lackingArgoCD,
    start: () => startArgoWorld("argocd-embedded"),
  },
];
