import type { KubeClient } from "@capstan/kube";
import { startListeningCluster } from "./listening-cluster.ts";

/** Another embedded cluster, over HTTPS, with its cluster Secret in the first one. */
interface SecondCluster extends AsyncDisposable {
  /** Asks it without a socket. */
  readonly kube: KubeClient;
}

export async function openSecondCluster(first: KubeClient, name: string): Promise<SecondCluster> {
  await using opened = new AsyncDisposableStack();
  const { url, token, authority, kube } = opened.use(await startListeningCluster());
  const config = {
    bearerToken: token,
    tlsClientConfig: { caData: Buffer.from(authority).toString("base64") },
  };
  const labels = { "argocd.argoproj.io/secret-type": "cluster" };
  const metadata = { name, namespace: "argocd", labels };
  const stringData = { server: url, name, config: JSON.stringify(config) };
  const signal = AbortSignal.timeout(60_000);
  await first.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal });
  const closing = opened.move();
  return { kube, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
