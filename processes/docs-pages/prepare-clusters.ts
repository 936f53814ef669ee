/** What pages of docs/ find that begin with a cluster of the reader's. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import {
  configMapText,
  realClock,
  sketchApplication,
  sketchProject,
  startGitServer,
  startProcess,
  startTraceReceiver,
  untilServing,
} from "@capstan/testkit";
import { installCrds } from "../surroundings/install-crds.ts";
import type { Names } from "./page-script.ts";
import { top } from "./place.ts";
import { type Preparation, portsFor } from "./prepare.ts";

const limitMs = 60_000;
const argocd = "argocd";

const namespaceOf = (name: string): Manifest => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

const configMap = (name: string, namespace: string, more: object): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  ...more,
});

function kubeOf({ cluster }: Preparation): KubeClient {
  assert.ok(cluster);
  return cluster.kube;
}

async function applyAll(kube: KubeClient, manifests: readonly Manifest[]): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  for (const manifest of manifests)
    await kube.apply(manifest, { fieldManager: "argocd", force: true, signal });
}

/** A collector, and what Prometheus' operator brings. */
export async function prepareObserving(preparation: Preparation): Promise<Names> {
  const collector = preparation.opened.use(await startTraceReceiver());
  preparation.opened.defer(() => assert.ok(collector.spans.length > 0, "no trace has come"));
  const group = "monitoring.coreos.com";
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await applyAll(kubeOf(preparation), [
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `prometheusrules.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind: "PrometheusRule", plural: "prometheusrules" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    },
    namespaceOf("monitoring"),
  ]);
  return { ...(await portsFor("8083")), "otel-collector:4317": collector.url };
}

export const preparePrograms = (): Promise<Names> => portsFor("8081", "8082", "8084");

/** A cluster as Argo CD leaves it. */
export async function prepareFromArgoCD(preparation: Preparation): Promise<Names> {
  const kube = kubeOf(preparation);
  await installCrds({ kube, clock: realClock, signal: AbortSignal.timeout(limitMs) });
  const settings = configMap("argocd-cm", argocd, { data: { "ga.trackingid": "UA-1" } });
  await applyAll(kube, [namespaceOf(argocd), settings, sketchProject("default")]);
  return {};
}

/** The same with an application that is no longer what Argo CD saw, and one of a plugin; and a repo server. */
export async function prepareMigration(preparation: Preparation): Promise<Names> {
  const { opened, place } = preparation;
  await prepareFromArgoCD(preparation);
  const kube = kubeOf(preparation);
  const server = opened.use(await startGitServer());
  const repository = await server.createRepository("team", {
    "settings.yaml": configMapText("settings", "1"),
  });
  const [name, namespace] = ["settings", "billing"];
  const id = `billing:/ConfigMap:${namespace}/${name}`;
  const metadata = { name, namespace, annotations: { "argocd.argoproj.io/tracking-id": id } };
  await applyAll(kube, [
    namespaceOf(namespace),
    { ...configMap(name, namespace, { data: { key: "2" } }), metadata },
  ]);
  const sync = { status: "Synced", revision: await repository.git("rev-parse", "HEAD") };
  const resources = [{ version: "v1", kind: "ConfigMap", namespace, name, status: "Synced" }];
  const status = { sync, health: { status: "Healthy" }, resources, sourceType: "Directory" };
  const signal = AbortSignal.timeout(limitMs);
  const billing = sketchApplication({ name: "billing", repoURL: repository.url });
  const source = { plugin: { name: "tanka" } };
  const tanka = sketchApplication({ name: "tanka", repoURL: repository.url, source });
  for (const app of [billing, tanka]) await kube.create({ ...app, status }, { signal });
  return { "capstan-repo-server:8081": await startRepoServer(opened, place.home) };
}

/** That of a cluster, as a process here; gives its address. */
async function startRepoServer(opened: AsyncDisposableStack, home: string): Promise<string> {
  const token = join(home, "token");
  await writeFile(token, "of this test\n");
  const words = ["repo-server", "--address", "127.0.0.1", "--port", "0", "--metrics-port", "0"];
  const program = [join(top, "bin", "capstan.js"), ...words, "--token-file", token];
  const env = { ...process.env, HOME: home };
  const server = opened.use(startProcess(process.execPath, program, { env }));
  const port = await untilServing("capstan repo-server", server, () =>
    server.output().includes("repo-server is ready") ? /"port":(\d+)/.exec(server.output())?.[1] : undefined,
  );
  return `localhost:${port}`;
}
