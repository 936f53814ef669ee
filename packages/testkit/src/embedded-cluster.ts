import { readFile } from "node:fs/promises";
import { type KubeClient, readKubeconfig } from "@capstan/kube";
import { type CapstanOptions, startCapstan } from "./capstan-process.ts";
import { kubeconfigText } from "./kubeconfig-text.ts";

/** The embedded cluster alone, as a process of its own that listens: what a RealCluster is, but ours. */
export interface EmbeddedClusterProcess extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Path of a kubeconfig file. */
  readonly kubeconfig: string;
  /** The same with a namespace in its context. */
  kubeconfigFor(namespace: string): string;
  readonly kube: KubeClient;
  /** Process ids by program, for measuring. */
  readonly pids: Readonly<Record<string, number>>;
  readonly dataDir: string;
  /** From the start of the process until it served. */
  readonly readyMs: number;
  output(): string;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

export async function startEmbeddedCluster(options: CapstanOptions = {}): Promise<EmbeddedClusterProcess> {
  const flags = ["--no-controllers", ...(options.flags ?? [])];
  const capstan = await startCapstan({ ...options, flags });
  const { kubeconfig, pid, readyMs } = capstan.status;
  const { server: url, bearerToken: token = "" } = readKubeconfig(await readFile(kubeconfig, "utf8"));
  return {
    url,
    token,
    kubeconfig,
    kubeconfigFor: (namespace) => kubeconfigText({ server: url, token, namespace }),
    kube: capstan.kube,
    pids: { "embedded-cluster": pid },
    dataDir: capstan.dataDir,
    readyMs,
    output: capstan.output,
    kill: capstan.kill,
    [Symbol.asyncDispose]: () => capstan[Symbol.asyncDispose](),
  };
}
