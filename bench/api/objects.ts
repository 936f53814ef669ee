/** Applications as a controller leaves them: twenty resources each in their status, some history, some out of order. */
import { runLimited } from "@capstan/flow";
import type { KubeClient } from "@capstan/kube";
import { crds, type Manifest } from "@capstan/model";
import { eventually, sketchProject } from "@capstan/testkit";

const [kinds, inFlight, limitMs] = [
  ["ConfigMap", "Service", "ServiceAccount", "Deployment"],
  16,
  15 * 60_000,
];
const commit = "0123456789abcdef0123456789abcdef01234567";
const at = (index: number) =>
  new Date(Date.UTC(2026, 0, 1) + index * 61_000).toISOString().replace(".000", "");

/** One in a hundred is Degraded, one in fifty of team-7, one in ten OutOfSync. */
function applicationOf(index: number): Manifest {
  const name = `app-${String(index).padStart(5, "0")}`;
  const source = {
    repoURL: `https://git.example.com/team-${index % 50}/deployments.git`,
    path: `apps/${name}/overlays/production`,
    targetRevision: "main",
  };
  const destination = { server: "https://kubernetes.default.svc", namespace: name };
  const operation = { sync: { revision: commit, prune: true }, initiatedBy: { automated: true } };
  const resources = Array.from({ length: 20 }, (_, place) => ({
    ...(place % 4 === 3 ? { group: "apps" } : {}),
    ...{ version: "v1", kind: kinds[place % 4], namespace: name, name: `${name}-${place}` },
    ...{ status: "Synced", health: { status: "Healthy" } },
  }));
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: {
      ...{ name, namespace: "argocd" },
      labels: { team: `team-${index % 50}`, tier: index % 2 ? "front" : "back" },
      finalizers: ["resources-finalizer.argocd.argoproj.io"],
    },
    spec: {
      ...{ project: "default", source, destination },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ["CreateNamespace=true"] },
    },
    status: {
      health: { status: index % 100 === 7 ? "Degraded" : "Healthy", lastTransitionTime: at(index) },
      sync: {
        ...{ status: index % 10 === 3 ? "OutOfSync" : "Synced", revision: commit },
        comparedTo: { source, destination },
      },
      ...{ sourceType: "Kustomize", reconciledAt: at(index), resources },
      summary: { images: [`registry.example.com/${name}:1.0.${index}`] },
      history: [{ id: 0, revision: commit, deployedAt: at(index), deployStartedAt: at(index), source }],
      operationState: {
        ...{ operation, phase: "Succeeded", message: "successfully synced (all tasks run)" },
        ...{ startedAt: at(index), finishedAt: at(index) },
        syncResult: { revision: commit, source, resources: [] },
      },
    },
  };
}

/** Settings, the project and so many Applications; nothing reconciles them. */
export async function createApplications(kube: KubeClient, count: number): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  const applied = { fieldManager: "bench", force: true, signal };
  await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, applied);
  for (const crd of crds()) await kube.apply(crd, applied);
  await eventually(
    async () => {
      await kube.discovery.refresh(signal);
      return kube.apply(sketchProject("default"), applied).catch(() => undefined);
    },
    { signal, describe: () => "the CRDs are not served" },
  );
  const indexes = Array.from({ length: count }, (_, index) => index);
  await runLimited(indexes, inFlight, (index) => kube.create(applicationOf(index), { signal }));
}

/** A change that every view shows; of another round it is another one. */
export async function changeApplication(kube: KubeClient, index: number, round?: number): Promise<void> {
  const { kind, apiVersion, metadata } = applicationOf(index);
  const { name = "" } = metadata;
  const changed = `at-${index}${round === undefined ? "" : `-${round}`}`;
  const body = { metadata: { labels: { changed } } };
  const signal = AbortSignal.timeout(30_000);
  await kube.patch({ apiVersion, kind, namespace: "argocd", name }, { type: "merge", body }, { signal });
}
