import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import { createKubeClient, type KubeClient } from "@capstan/kube";
import { kubeconfigText } from "./kubeconfig-text.ts";
import { realClock } from "./real-clock.ts";

/** An embedded cluster in this process that listens with HTTPS. */
export interface ListeningCluster extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** PEM text. */
  readonly authority: string;
  /** Text. */
  readonly kubeconfig: string;
  /** Asks it without a socket. */
  readonly kube: KubeClient;
}

export async function startListeningCluster(): Promise<ListeningCluster> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-listening-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const cluster = opened.use(await startCluster({ dataDir, clock: realClock }));
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const kube = createKubeClient({
    transport: (request) => cluster.handle(request),
    userAgent: "test",
    clock: realClock,
  });
  const closing = opened.move();
  return {
    url,
    token: cluster.adminToken,
    authority: cluster.caCertificate(),
    kubeconfig: kubeconfigText({ server: url, token: cluster.adminToken }),
    kube,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
