/** API servers beside one another on one cluster: each is a process that does nothing else. */
import { Agent } from "node:http";
import { type EmbeddedClusterProcess, lackingArgoCD, startArgoCD, startCapstan } from "@capstan/testkit";
import { ownCost } from "../process-cost.ts";

export interface CostedServer {
  readonly url: string;
  /** Undefined: nobody is asked who he is. */
  readonly token: string | undefined;
  readonly agent: Agent;
  readonly pids: Readonly<Record<string, number>>;
}

export interface Peer {
  readonly name: string;
  lacking(): string | false;
  start(cluster: EmbeddedClusterProcess): Promise<CostedServer & AsyncDisposable>;
}

/** Milliseconds of CPU so far, the server's own. */
export function cpuOf({ pids }: Pick<CostedServer, "pids">): number {
  return Object.values(pids).reduce((sum, pid) => sum + ownCost(pid).cpuSeconds * 1_000, 0);
}

function ready(
  server: Omit<CostedServer, "agent">,
  started: AsyncDisposable,
): CostedServer & AsyncDisposable {
  const agent = new Agent({ keepAlive: true });
  return {
    ...server,
    agent,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await started[Symbol.asyncDispose]();
    },
  };
}

export const peers: readonly Peer[] = [
  {
    name: "capstan",
    lacking: () => false,
    async start(cluster) {
      const flags = ["--no-samples", "--no-controllers", "--kubeconfig", cluster.kubeconfig];
      const profile = process.env.BENCH_CPU_PROFILE;
      const env = profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` } : {};
      const capstan = await startCapstan({ flags, env });
      return ready(
        { url: capstan.url, token: await capstan.token(), pids: { capstan: capstan.status.pid } },
        capstan,
      );
    },
  },
  {
    name: "argocd",
    lacking: lackingArgoCD,
    async start(cluster) {
      const argo = await startArgoCD(cluster, { only: ["redis-server", "argocd-server"] });
      const { "argocd-server": server = 0 } = argo.pids;
      return ready({ url: argo.url, token: undefined, pids: { "argocd-server": server } }, argo);
    },
  },
];
