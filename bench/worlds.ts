/** The peers of a run: Capstan on its embedded cluster, Capstan and Argo CD on the real control plane. */
import { createHmac } from "node:crypto";
import { tmpdir } from "node:os";
import type { KubeClient } from "@capstan/kube";
import {
  eventually,
  lackingArgoCD,
  lackingRealCluster,
  startArgoCD,
  startCapstan,
  startEmbeddedCluster,
  startRealCluster,
} from "@capstan/testkit";
import { AuditLog } from "./audit-log.ts";

export interface World extends AsyncDisposable {
  readonly name: string;
  readonly kube: KubeClient;
  readonly pids: Readonly<Record<string, number>>;
  /** Tells it of a push, as a git server would. */
  push(repoUrl: string, push: Push): Promise<void>;
  /** Counters by name; empty where the peer has none. */
  counters(): Promise<Record<string, number>>;
  /** What the API server was asked, where `audits` is said and it is not the one of a kubeconfig. */
  readonly audit?: AuditLog;
}

export interface WorldOptions {
  kubeconfig?: string | undefined;
  audits?: boolean;
  /** Seconds between the looks at an application of which nothing is heard, without a jitter; their default if not given. */
  pollingSeconds?: number | undefined;
}

export interface Push {
  before: string;
  after: string;
  files: readonly string[];
  /** Shared with the git server, which signs with it. */
  secret?: string | undefined;
}

export interface Peer {
  readonly name: string;
  /** Why it cannot run here, or false. */
  readonly lacking: () => string | false;
  readonly start: (options: WorldOptions) => Promise<World>;
}

export async function postPush(url: string, repoUrl: string, push: Push): Promise<void> {
  const body = JSON.stringify({
    ref: "refs/heads/main",
    before: push.before,
    after: push.after,
    repository: { html_url: repoUrl, clone_url: repoUrl, default_branch: "main" },
    commits: [{ id: push.after, added: [], removed: [], modified: push.files }],
  });
  const { secret } = push;
  const digest = secret === undefined ? undefined : createHmac("sha256", secret).update(body).digest("hex");
  const signature = digest === undefined ? {} : { "x-hub-signature-256": `sha256=${digest}` };
  const answer = await fetch(`${url}/api/webhook`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-github-event": "push", ...signature },
    body,
  });
  if (!answer.ok) throw new Error(`webhook answered ${answer.status}: ${await answer.text()}`);
}

/** Sums of Prometheus samples by metric name. */
function sumSamples(text: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [, name = "", value = "0"] of text.matchAll(/^([a-z0-9_]+)(?:\{[^}]*\})? ([0-9.e+-]+)$/gm))
    sums[name] = (sums[name] ?? 0) + Number(value);
  return sums;
}

/** Of `capstan up`, with the cluster of a kubeconfig or its own. */
export function upFlags(kubeconfig: string | undefined): string[] {
  // Another cluster's applications may use no folder of this machine unless its operator says so.
  const cluster = kubeconfig ? ["--kubeconfig", kubeconfig, "--allow-folder", tmpdir()] : [];
  return ["--no-samples", "--log-format", "json", ...cluster];
}

async function startCapstanWorld(name: string, options: WorldOptions): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const audit = options.audits && !options.kubeconfig ? opened.use(await AuditLog.open()) : undefined;
  const isReal = name.includes("real");
  const real =
    isReal && !options.kubeconfig ? opened.use(await startRealCluster(realOptions(audit))) : undefined;
  const target = options.kubeconfig ?? real?.kubeconfig;
  const flags = [...upFlags(target), ...(audit && !isReal ? ["--audit-log", audit.file] : [])];
  const capstan = opened.use(await startCapstan({ flags }));
  const kube = real?.kube ?? capstan.kube;
  if (options.pollingSeconds) await setPolling(kube, options.pollingSeconds);
  const closing = opened.move();
  return {
    name,
    kube,
    pids: { capstan: capstan.status.pid, ...real?.pids },
    push: (repoUrl, push) => postPush(capstan.url, repoUrl, push),
    counters: async () => sumSamples(String((await capstan.api("GET", "/metrics")).body)),
    ...(audit ? { audit } : {}),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function realOptions(audit: AuditLog | undefined) {
  return audit ? { auditLog: audit.file, auditsReads: true } : {};
}

async function setPolling(kube: KubeClient, seconds: number): Promise<void> {
  const data = { "timeout.reconciliation": `${seconds}s`, "timeout.reconciliation.jitter": "0s" };
  const settings = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  const signal = AbortSignal.timeout(60_000);
  await kube.patch(settings, { type: "merge", body: { data } }, { signal });
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

async function startArgoWorld(name: string, { audits, pollingSeconds }: WorldOptions): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const audit = audits ? opened.use(await AuditLog.open()) : undefined;
  const cluster = name.includes("embedded")
    ? startEmbeddedCluster(audit ? { flags: ["--audit-log", audit.file] } : {})
    : startRealCluster(realOptions(audit));
  const { kube, kubeconfigFor, pids } = opened.use(await cluster);
  // Its manifests give its controller these settings as environment.
  const polling = { ARGOCD_RECONCILIATION_TIMEOUT: `${pollingSeconds}s`, ARGOCD_RECONCILIATION_JITTER: "0s" };
  const argo = opened.use(await startArgoCD({ kube, kubeconfigFor }, pollingSeconds ? { env: polling } : {}));
  const closing = opened.move();
  return {
    name,
    kube,
    pids: { ...argo.pids, ...pids },
    push: (repoUrl) => refreshAll(kube, repoUrl),
    // Its controller tells them some time after it has begun.
    counters: () =>
      eventually(
        async () => {
          const answer = await fetch(argo.controllerMetrics).catch(() => undefined);
          return answer && sumSamples(await answer.text());
        },
        { signal: AbortSignal.timeout(60_000), describe: () => "the controller tells no metrics" },
      ),
    ...(audit ? { audit } : {}),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

export const peers: readonly Peer[] = [
  {
    name: "capstan-embedded",
    lacking: () => false,
    start: (options) => startCapstanWorld("capstan-embedded", { ...options, kubeconfig: undefined }),
  },
  {
    name: "capstan-real",
    lacking: lackingRealCluster,
    start: (options) => startCapstanWorld("capstan-real", options),
  },
  {
    name: "argocd-real",
    lacking: () => lackingRealCluster() || lackingArgoCD(),
    start: (options) => startArgoWorld("argocd-real", options),
  },
  {
    name: "argocd-embedded",
    lacking: lackingArgoCD,
    start: (options) => startArgoWorld("argocd-embedded", options),
  },
];
