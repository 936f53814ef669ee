import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import { createKubeClient, type KubeClient } from "@capstan/kube";
import { realClock } from "./real-clock.ts";

/** Another embedded cluster, over HTTPS, with its cluster Secret in the first one. */
interface SecondCluster extends AsyncDisposable {
  /** Asks it without a socket. */
  readonly kube: KubeClient;
}

export async function openSecondCluster(first: KubeClient, name: string): Promise<SecondCluster> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-second-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const cluster = opened.use(await startCluster({ dataDir, clock: realClock }));
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const config = {
    bearerToken: cluster.adminToken,
    tlsClientConfig: { caData: Buffer.from(cluster.caCertificate()).toString("base64") },
  };
  const labels = { "argocd.argoproj.io/secret-type": "cluster" };
  const metadata = { name, namespace: "argocd", labels };
  const stringData = { server: url, name, config: JSON.stringify(config) };
  const signal = AbortSignal.timeout(60_000);
  await first.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal });
  const kube = createKubeClient({
    transport: (request) => cluster.handle(request),
    userAgent: "test",
    clock: realClock,
  });
  const closing = opened.move();
  return { kube, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
