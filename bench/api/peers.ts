/** API servers beside one another on one cluster: each is a process that does nothing else. */
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "@capstan/formats";
import { parseManifests } from "@capstan/model";
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

/** What deploy/capstan says to Node and to glibc of the server's memory: an installed one is measured. */
async function installedEnvironment(): Promise<Record<string, string>> {
  const file = join(import.meta.dirname, "..", "..", "deploy", "capstan", "namespaced", "install.yaml");
  const found: Record<string, string> = {};
  for (const { kind, metadata, spec } of parseManifests(await readFile(file, "utf8"))) {
    if (kind !== "Deployment" || metadata.name !== "capstan-server") continue;
    for (const { name, value } of environmentOf(spec)) found[name] = value;
  }
  if (found.NODE_OPTIONS === undefined) throw new Error(`${file}: the server's NODE_OPTIONS are not there`);
  return found;
}

function environmentOf(spec: unknown): { name: string; value: string }[] {
  const pod = isRecord(spec) && isRecord(spec.template) ? spec.template.spec : undefined;
  const containers = isRecord(pod) && Array.isArray(pod.containers) ? pod.containers : [];
  return containers
    .flatMap((container) => (isRecord(container) && Array.isArray(container.env) ? container.env : []))
    .filter(({ name }) => /^(NODE_OPTIONS$|MALLOC_)/.test(name));
}

export const peers: readonly Peer[] = [
  {
    name: "capstan",
    lacking: () => false,
    async start(cluster) {
      const flags = ["--no-samples", "--no-controllers", "--kubeconfig", cluster.kubeconfig];
      const profile = process.env.BENCH_CPU_PROFILE;
      const installed = await installedEnvironment();
      const profiling = profile ? ` --cpu-prof --cpu-prof-dir=${profile}` : "";
      const NODE_OPTIONS = `${installed.NODE_OPTIONS ?? ""}${profiling}`;
      const folder = await mkdtempDisposable(join(tmpdir(), "capstan-bench-api-"));
      await using opened = new AsyncDisposableStack();
      opened.use(folder);
      const env = { ...installed, NODE_OPTIONS };
      const start = () => startCapstan({ flags, env, dataDir: folder.path });
      // An installed one has no types to strip, for which Node loads another 10 MB: here a first start keeps them so.
      {
        await using first = await start();
        await first.token();
      }
      const capstan = opened.use(await start());
      const closing = opened.move();
      return ready(
        { url: capstan.url, token: await capstan.token(), pids: { capstan: capstan.status.pid } },
        closing,
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
