import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import { startRealCluster } from "@capstan/testkit";
import { openTarget, type Target } from "./client.ts";
import { definitions } from "./kinds/custom.ts";
import { startWebhookServer, type WebhookServer } from "./webhook-server.ts";

/** On the real side only what the embedded cluster itself does without simulation. */
const controllers = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "serviceaccount-token-controller",
  "clusterrole-aggregation-controller",
  "resourcequota-controller",
  "root-ca-certificate-publisher-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "validatingadmissionpolicy-status-controller",
  "volumeattributesclass-protection-controller",
];

export interface Clusters extends AsyncDisposable {
  real: Target;
  ours: Target;
  webhooks: WebhookServer;
}

export async function startClusters(): Promise<Clusters> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startRealCluster({ controllers: controllers.join(",") }));
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-compat-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const log = ({ level, message, error }: { level: string; message: string; error?: unknown }) => {
    if (level === "error") console.error(`embedded cluster: ${message} ${error ?? ""}`);
  };
  const cluster = opened.use(await startCluster({ dataDir, simulation: false, log }));
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const webhooks = opened.use(await startWebhookServer());
  const real = opened.use(openTarget("real", server.url, server.token));
  const ours = opened.use(openTarget("ours", url, cluster.adminToken));
  await Promise.all([prepare(real), prepare(ours)]);
  const closing = opened.move();
  return { real, ours, webhooks, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function prepare(target: Target): Promise<void> {
  const headers = { "content-type": "application/json" };
  for (const body of definitions) {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const made = await target.send({ method: "POST", path, headers, body: JSON.stringify(body) });
    if (made.status !== 201) throw new Error(`${target.name}: ${made.text}`);
  }
  for (const resource of ["namespaces/default/widgets", "gadgets"]) {
    const path = `/apis/compat.example.com/v1/${resource}`;
    for (let tried = 0; tried < 300; tried += 1) {
      if ((await target.send({ method: "GET", path, headers: {} })).status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
