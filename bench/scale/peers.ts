import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "@capstan/kube";
import {
  type CapstanProcess,
  lackingArgoCD,
  startArgoCD,
  startCapstan,
  startEmbeddedCluster,
} from "@capstan/testkit";
import { type Push, postPush, refreshAll } from "../worlds.ts";

export interface ScalePeer {
  readonly name: string;
  readonly lacking: () => string | false;
  readonly start: () => Promise<ScaleWorld>;
}

/** Its Applications live in an embedded cluster of its own, which for Capstan is a thread of it. */
export interface ScaleWorld extends AsyncDisposable {
  readonly kube: KubeClient;
  pids(): Readonly<Record<string, number>>;
  push(repoUrl: string, push: Push): Promise<void>;
  /** Asked of clusters for applications so far. */
  readonly requests?: () => Promise<number>;
  /** Ends it by kill -9, starts it on what it left, and resolves when it has looked at so many applications. */
  readonly restart?: (applications: number, signal: AbortSignal) => Promise<void>;
}

export const scalePeers: readonly ScalePeer[] = [
  { name: "capstan", lacking: () => false, start: startCapstanWorld },
  { name: "argocd", lacking: lackingArgoCD, start: startArgoWorld },
];

async function startCapstanWorld(): Promise<ScaleWorld> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-scale-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const start = (): Promise<CapstanProcess> =>
    startCapstan({ dataDir, flags: ["--no-samples", "--log-format", "json"] });
  let capstan = await start();
  opened.defer(() => capstan[Symbol.asyncDispose]());
  const closing = opened.move();
  return {
    kube: capstan.kube,
    pids: () => ({ capstan: capstan.status.pid }),
    push: (repoUrl, push) => postPush(capstan.url, repoUrl, push),
    requests: async () => countSamples("argocd_app_k8s_request_total", await metricsOf(capstan)),
    async restart(applications, signal) {
      await capstan.kill("SIGKILL");
      await capstan[Symbol.asyncDispose]();
      capstan = await start();
      const looks = async () => countSamples("argocd_app_reconcile_count", await metricsOf(capstan));
      while ((await looks()) < applications) await sleep(1_000, undefined, { signal });
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function metricsOf({ api }: CapstanProcess): Promise<string> {
  return String((await api("GET", "/metrics")).body);
}

/** Of all samples of the name together. */
export function countSamples(name: string, text: string): number {
  const samples = [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, "gm"))];
  return samples.reduce((sum, [, value]) => sum + Number(value), 0);
}

async function startArgoWorld(): Promise<ScaleWorld> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startEmbeddedCluster());
  const only = ["redis-server", "argocd-repo-server", "argocd-application-controller"];
  const argo = opened.use(await startArgoCD(cluster, { only }));
  const closing = opened.move();
  return {
    kube: cluster.kube,
    pids: () => ({ ...argo.pids, ...cluster.pids }),
    push: (repoUrl) => refreshAll(cluster.kube, repoUrl),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
