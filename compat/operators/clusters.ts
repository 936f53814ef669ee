import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import { kubeconfigText, startRealCluster } from "@capstan/testkit";
import type { Cluster } from "./install.ts";

/** On the real side only what the embedded cluster itself does without simulation: no Pods are made on either. */
const controllers = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "clusterrole-aggregation-controller",
  "resourcequota-controller",
  "root-ca-certificate-publisher-controller",
  "persistentvolumeclaim-protection-controller",
  "validatingadmissionpolicy-status-controller",
];

export interface Clusters extends AsyncDisposable {
  readonly real: Cluster;
  readonly ours: Cluster;
}

export async function startClusters(dir: string): Promise<Clusters> {
  await using opened = new AsyncDisposableStack();
  const dataDir = join(dir, "embedded");
  await mkdir(dataDir, { recursive: true });
  const server = opened.use(await startRealCluster({ controllers: controllers.join(","), privileged: true }));
  const cluster = opened.use(await startCluster({ dataDir, simulation: false }));
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const at = async (name: Cluster["name"], text: string): Promise<Cluster> => {
    const kubeconfig = join(dir, name, "kubeconfig");
    await mkdir(join(dir, name), { recursive: true });
    await writeFile(kubeconfig, text);
    return { name, kubeconfig };
  };
  const real = await at("real", kubeconfigText({ server: server.url, token: server.token }));
  const ours = await at("ours", kubeconfigText({ server: url, token: cluster.adminToken }));
  const closing = opened.move();
  return { real, ours, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
