import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import {
  type CapstanProcess,
  createGitRepository,
  type GitRepository,
  readApplications,
  sketchApplication,
  startCapstan,
  startEmbeddedCluster,
} from "@capstan/testkit";
import { openGate } from "../soak/gate.ts";
import { startControllers } from "./controllers.ts";

/** `capstan up` that is killed and started again, on a cluster of another process that goes on and writes all down. */
export interface KillWorld extends AsyncDisposable {
  readonly names: readonly string[];
  readonly kube: KubeClient;
  /** Commits a round to all applications; gives its revision. */
  commit(round: number): Promise<string>;
  kill(): Promise<void>;
  /** For so long the cluster is out of Capstan's reach: connections break, new ones are refused. */
  away(ms: number): Promise<void>;
  start(): Promise<void>;
  /** Those that are not at this revision, with what they are instead. */
  behind(revision: string): Promise<string[]>;
  /** Requests to the cluster that made or deleted an object of an application. */
  audited(): Promise<readonly Audited[]>;
}

export interface Audited {
  readonly verb: string;
  readonly code: number;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

const limit = () => AbortSignal.timeout(60_000);

interface Sharing {
  /** So many programs of their own share the applications in place of `capstan up`; one of them is killed at a time. */
  readonly controllers: number;
  /** Seconds by which their clocks are wrong, in the order in which they are started. */
  readonly skews: readonly number[];
}

export async function openKillWorld(applications: number, sharing?: Sharing): Promise<KillWorld> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "capstan-kills-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const auditLog = join(folder, "audit.log");
  const cluster = opened.use(await startEmbeddedCluster({ flags: ["--audit-log", auditLog] }));
  const names = Array.from({ length: applications }, (_, index) => `kill-${index}`);
  const gate = opened.use(await openGate({ port: Number(new URL(cluster.url).port) }));
  const kubeconfig = join(folder, "kubeconfig");
  const server = `https://127.0.0.1:${gate.port}`;
  const text = await readFile(cluster.kubeconfig, "utf8");
  await writeFile(kubeconfig, text.replaceAll(new URL(cluster.url).origin, server), { mode: 0o600 });
  const git = opened.use(await createGitRepository(filesOf(names, 0)));
  const dataDir = join(folder, "data");
  const start = (): Promise<CapstanProcess> =>
    startCapstan({
      dataDir,
      flags: ["--kubeconfig", kubeconfig, "--no-samples", "--allow-folder", git.dir],
    });
  const place = { cluster, folder, kubeconfig, repositories: git.dir };
  const shared =
    sharing &&
    opened.use(await startControllers({ ...place, count: sharing.controllers, skews: sharing.skews }));
  let capstan = shared ? undefined : await start();
  opened.defer(() => capstan?.[Symbol.asyncDispose]());
  for (const name of names) await cluster.kube.create(applicationOf(name, git), { signal: limit() });
  const closing = opened.move();
  return {
    names,
    kube: cluster.kube,
    async commit(round) {
      const revision = await git.commit(filesOf(names, round));
      const body = { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } };
      const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
      for (const name of names)
        await cluster.kube.patch({ ...ref, name }, { type: "merge", body }, { signal: limit() });
      return revision;
    },
    kill: async () => (shared ? shared.kill() : capstan?.kill("SIGKILL")),
    away: async (ms) => {
      await gate.shut();
      await sleep(ms);
      await gate.open();
    },
    async start() {
      if (shared) return shared.start();
      await capstan?.[Symbol.asyncDispose]();
      capstan = await start();
    },
    async behind(revision) {
      const views = await readApplications(cluster.kube, limit());
      return views
        .filter((one) => one.revision !== revision || one.sync !== "Synced" || one.phase !== "Succeeded")
        .map((one) => `${one.name}: ${one.sync} at ${one.revision.slice(0, 8)}, ${one.phase} ${one.message}`);
    },
    audited: async () => (await readFile(auditLog, "utf8")).split("\n").flatMap(readAudited),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function applicationOf(name: string, git: GitRepository): Manifest {
  return sketchApplication({ name, repoURL: git.url, path: name });
}

/** Each round: a value that changes, an object that goes and one that comes, hooks before and after, two waves. */
function filesOf(names: readonly string[], round: number): Record<string, string | undefined> {
  const files: Record<string, string | undefined> = {};
  for (const name of names) {
    const objects = [
      map("kept", round),
      map(`of-round-${round}`, round),
      hook("before", "PreSync"),
      hook("after", "PostSync", "HookSucceeded"),
      deployment("web", round),
    ];
    files[`${name}/all.yaml`] = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  }
  return files;
}

const map = (name: string, round: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { round: `${round}` },
});

const container = { name: "main", image: "registry.example/main:1" };

function hook(name: string, type: string, policy = "BeforeHookCreation") {
  const annotations = { "argocd.argoproj.io/hook": type, "argocd.argoproj.io/hook-delete-policy": policy };
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, annotations }, spec: { template } };
}

function deployment(name: string, round: number) {
  const labels = { app: name };
  const annotations = { "argocd.argoproj.io/sync-wave": "1" };
  const template = {
    metadata: { labels, annotations: { round: `${round}` } },
    spec: { containers: [container] },
  };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, annotations }, spec };
}

function readAudited(line: string): Audited[] {
  if (line === "") return [];
  const event: unknown = JSON.parse(line);
  if (!isRecord(event) || !isRecord(event.objectRef) || !isRecord(event.responseStatus)) return [];
  const { resource, namespace, name } = event.objectRef;
  if (!String(namespace).startsWith("kill-") || /dryRun=/.test(String(event.requestURI))) return [];
  if (!String(event.userAgent).startsWith("capstan/")) return [];
  const verb = String(event.verb);
  const code = Number(event.responseStatus.code);
  return [{ verb, code, resource: String(resource), namespace: String(namespace), name: String(name) }];
}
