import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import { kubeconfigText, realProgramPath, startRealCluster } from "@capstan/testkit";
import type { Client } from "./clients.ts";
import type { Place } from "./shell.ts";

/** One of the two clusters, as clients see it. */
export interface Target {
  readonly name: "real" | "ours";
  readonly url: string;
  readonly token: string;
  /** A folder for each client and script goes below. */
  readonly folder: string;
}

export interface Clusters extends AsyncDisposable {
  readonly real: Target;
  readonly ours: Target;
}

export async function startClusters(): Promise<Clusters> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-clients-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const dataDir = join(dir, "embedded");
  await mkdir(dataDir);
  const server = opened.use(await startRealCluster({ nodes: true }));
  const cluster = opened.use(await startCluster({ dataDir, podReadyDelayMs: 100 }));
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const closing = opened.move();
  return {
    real: { name: "real", url: server.url, token: server.token, folder: join(dir, "real") },
    ours: { name: "ours", url, token: cluster.adminToken, folder: join(dir, "ours") },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** A folder, a PATH that gives this version of the client, and a kubeconfig that names the namespace. */
export async function openWorkplace(target: Target, client: Client, namespace: string): Promise<Place> {
  const cwd = join(target.folder, namespace);
  const bin = join(cwd, ".bin");
  await mkdir(bin, { recursive: true });
  const kubectl = client.client === "kubectl" ? client.program : realProgramPath("kubectl");
  await symlink(kubectl, join(bin, "kubectl"));
  if (client.client === "helm") await symlink(client.program, join(bin, "helm"));
  const kubeconfig = join(cwd, ".kubeconfig");
  await writeFile(kubeconfig, kubeconfigText({ server: target.url, token: target.token, namespace }));
  const { PATH: others = "", GOGC } = process.env;
  const path = `${bin}:${others}`;
  return {
    cwd,
    env: {
      PATH: path,
      HOME: cwd,
      KUBECONFIG: kubeconfig,
      KUBE_EDITOR: "./edit",
      NAMESPACE: namespace,
      TZ: "UTC",
      ...(GOGC === undefined ? {} : { GOGC }),
    },
  };
}
