import { createKubeClient, httpTransport, isNotFound, type KubeClient, openKubeconfig } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import type { FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { kubeconfigPath } from "../../kubeconfig-path.ts";

/** Of commands that read or write the cluster that Capstan runs in, by its own API. */
export const clusterFlags = {
  kubeconfig: {
    kind: "string",
    value: "FILE",
    help: "Of the cluster",
    byDefault: "$KUBECONFIG, ~/.kube/config",
  },
  context: { kind: "string", value: "NAME", help: "Context of the kubeconfig", byDefault: "its current one" },
  namespace: {
    kind: "string",
    short: "n",
    value: "NAMESPACE",
    help: "Control namespace",
    byDefault: "argocd",
  },
} as const;

export interface OpenCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly namespace: string;
}

export async function openCluster(
  flags: FlagValues<typeof clusterFlags>,
  io: Pick<Io, "clock" | "env" | "home">,
): Promise<OpenCluster> {
  const { config } = await openKubeconfig(kubeconfigPath(io, flags.kubeconfig), flags.context);
  const transport = httpTransport(config, { clock: io.clock });
  return {
    client: createKubeClient({ transport, userAgent: "capstan", clock: io.clock }),
    namespace: flags.namespace || "argocd",
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

type Query = Parameters<KubeClient["list"]>[0];

/** None of a kind that the cluster does not have: Argo CD was never installed on it. */
export async function listed(
  client: KubeClient,
  query: Query,
  signal: AbortSignal,
): Promise<readonly Manifest[]> {
  try {
    return (await client.list(query, signal)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
