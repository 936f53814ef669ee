import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { createGitRepository, type GitRepository } from "@capstan/testkit";

export const folderOf = (index: number): string => `apps/app-${String(index).padStart(4, "0")}`;

/** ConfigMap, ServiceAccount, Service and a Deployment of no replicas. */
export function manifestsOf(index: number, value: string): string {
  const name = `app-${index}`;
  const documents: Manifest[] = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "main", image: "example/main:1.0" }] },
        },
      },
    },
  ];
  return documents.map((one) => JSON.stringify(one)).join("\n---\n");
}

export const sampleKinds = ["plain", "helm", "kustomize"] as const;
/** What the same four objects are made of. */
export type SampleKind = (typeof sampleKinds)[number];

/** By path in the repository. The one file that a change touches is `fileOf` where they are plain. */
export function filesOf(index: number, value: string, kind: SampleKind = "plain"): Record<string, string> {
  const folder = folderOf(index);
  const manifests = manifestsOf(index, value);
  switch (kind) {
    case "plain":
      return { [fileOf(index)]: manifests };
    case "helm":
      return {
        [`${folder}/Chart.yaml`]: `apiVersion: v2\nname: app-${index}\nversion: 1.0.0\n`,
        [`${folder}/values.yaml`]: `name: app-${index}\nvalue: ${value}\n`,
        [`${folder}/templates/all.yaml`]: manifests
          .replaceAll(`"app-${index}"`, '"{{ .Values.name }}"')
          .replace(`"${value}"`, '"{{ .Values.value }}"'),
      };
    case "kustomize":
      return {
        [`${folder}/kustomization.yaml`]: `resources: [all.yaml]\nnamePrefix: app-\n`,
        [fileOf(index)]: manifests.replaceAll(`"name":"app-${index}"`, `"name":"${index}"`),
      };
  }
}

/** Of N applications. */
export function sampleFiles(count: number, kind: SampleKind = "plain"): Record<string, string> {
  return Object.assign({}, ...Array.from({ length: count }, (_, index) => filesOf(index, "first", kind)));
}

export async function createSampleRepository(count: number, kind?: SampleKind): Promise<GitRepository> {
  return createGitRepository(sampleFiles(count, kind));
}

export const fileOf = (index: number): string => `${folderOf(index)}/all.yaml`;

export function applicationOf(index: number, repoURL: string): Manifest {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: `app-${index}`, namespace: "argocd" },
    spec: {
      project: "default",
      source: { repoURL, path: folderOf(index), targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: "default" },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

interface Status {
  sync?: { status?: string; revision?: string };
  health?: { status?: string };
}

const readStatus = (application: Manifest): Status => {
  const { status } = application;
  return typeof status === "object" && status !== null ? status : {};
};

export interface Settled {
  count: number;
  /** The commit that all must be synced to; any if not given. */
  revision?: string;
  signal: AbortSignal;
}

/** Waits until all are Synced and Healthy; watches, so that waiting costs the cluster next to nothing. */
export async function untilSettled(kube: KubeClient, { count, revision, signal }: Settled): Promise<void> {
  const type = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
  const settled = new Set<string>();
  const note = (application: Manifest): boolean => {
    const { sync, health } = readStatus(application);
    const isThere = revision === undefined || sync?.revision === revision;
    const name = application.metadata.name ?? "";
    if (sync?.status === "Synced" && health?.status === "Healthy" && isThere) settled.add(name);
    else settled.delete(name);
    return settled.size === count;
  };
  const { items, resourceVersion } = await kube.list(type, signal);
  for (const item of items) if (note(item)) return;
  for await (const { object } of kube.watch({ ...type, resourceVersion }, signal)) if (note(object)) return;
  throw new Error(`the watch ended with ${settled.size} of ${count} settled`);
}

export async function createApplications(
  kube: KubeClient,
  { count, repoUrl, signal }: { count: number; repoUrl: string; signal: AbortSignal },
): Promise<void> {
  const waiting = Array.from({ length: count }, (_, index) => applicationOf(index, repoUrl));
  const workers = Array.from({ length: 16 }, async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      await kube.create(next, { fieldManager: "bench", signal });
  });
  await Promise.all(workers);
}
