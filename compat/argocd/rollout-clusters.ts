/** A cluster of the real controller of sets and one of ours, both with progressive syncs. */
import type { KubeClient } from "@capstan/kube";
import { eventually, startArgoCD, startEmbeddedCluster } from "@capstan/testkit";
import { openSetWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(60_000);

/** The real one's first. */
export function openRolloutClusters(opened: AsyncDisposableStack): Promise<KubeClient[]> {
  return Promise.all([startReal(opened), startOurs(opened)]);
}

async function startReal(opened: AsyncDisposableStack): Promise<KubeClient> {
  const cluster = opened.use(await startEmbeddedCluster());
  const env = { ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_PROGRESSIVE_SYNCS: "true" };
  opened.use(await startArgoCD(cluster, { only: ["argocd-applicationset-controller"], env }));
  return cluster.kube;
}

async function startOurs(opened: AsyncDisposableStack): Promise<KubeClient> {
  const { world } = opened.use(await openSetWorld());
  const key = "applicationsetcontroller.enable.progressive.syncs";
  const metadata = {
    name: "argocd-cmd-params-cm",
    namespace: "argocd",
    labels: { "app.kubernetes.io/part-of": "argocd" },
  };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [key]: "true" } };
  await world.kube.create(object, { signal: limit() });
  await eventually(async () => world.settings.current.params[key] === "true" || undefined, {
    signal: limit(),
    describe: () => "the setting is not seen",
  });
  return world.kube;
}
