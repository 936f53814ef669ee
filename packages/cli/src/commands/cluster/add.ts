import { isRecord } from "@capstan/formats";
import { createKubeClient, httpTransport, type KubeClient } from "@capstan/kube";
import { inClusterServer, parseYaml } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import { defineCommand, type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { confirm } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { kubeconfigPath } from "../../kubeconfig-path.ts";
import { addFlags } from "./add-flags.ts";
import { configOf, describeCluster, type KubeAccess, openContext } from "./described-cluster.ts";
import { accountToken, installManager } from "./install-manager.ts";

type Values = FlagValues<typeof addFlags>;

export default defineCommand({
  usage: "CONTEXT",
  help: "Add the cluster of a kubeconfig's context: an account with a token is made in it, by which it is managed.",
  examples: [
    "capstan cluster add prod",
    "capstan cluster add prod --namespace web --name production -y",
    "capstan cluster add prod --service-account deployer --system-namespace ops",
  ],
  argument: "none",
  arity: [0, 1],
  flags: addFlags,
  async run({ args: [context = ""], flags, io, api }) {
    const file = kubeconfigPath(io, flags.kubeconfig);
    if (flags["in-cluster"] && flags["cluster-endpoint"])
      throw new UsageError("Can only use one of --in-cluster or --cluster-endpoint");
    const access = { ...(await openContext(file, context)), ...compact({ proxyUrl: flags["proxy-url"] }) };
    await using transport = httpTransport(access, { clock: io.clock });
    const client = createKubeClient({ transport, userAgent: "capstan", clock: io.clock });
    const token = await managerToken(client, { context, flags, io });
    const { server, authority } = await addressOf(client, { flags, access, io });
    const cluster: RestCluster = {
      server,
      name: flags.name || context,
      config: await configOf(access, { flags, token, authority }),
      ...describeCluster(flags),
    };
    await (await api()).call("createCluster", { cluster, upsert: flags.upsert ?? false });
    io.out(`Cluster '${server}' added\n`);
    return 0;
  },
});

/** Nothing where credentials come from elsewhere. */
async function managerToken(
  client: KubeClient,
  { context, flags, io }: { context: string; flags: Values; io: Io },
): Promise<string | undefined> {
  if (flags["aws-cluster-name"] || flags["exec-command"]) return undefined;
  const input = {
    client,
    clock: io.clock,
    signal: io.signal,
    namespace: flags["system-namespace"] ?? "kube-system",
  };
  if (flags["service-account"]) return accountToken(input, flags["service-account"]);
  const namespaces = flags.namespace ?? [];
  const level = namespaces.length > 0 ? "namespace" : "cluster";
  const warning = `WARNING: This will create a service account \`argocd-manager\` on the cluster referenced by context \`${context}\` with full ${level} level privileges. Do you want to continue?`;
  if (io.outIsTerminal && !flags.yes && !(await confirm(io, warning)))
    throw new UsageError("nothing was changed");
  return installManager({ ...input, namespaces, say: io.err });
}

/** The address that Capstan is to reach it by, with its authority in base64 where that comes from elsewhere. */
async function addressOf(
  client: KubeClient,
  { flags, access, io }: { flags: Values; access: KubeAccess; io: Io },
): Promise<{ server: string; authority?: string }> {
  const endpoint = flags["cluster-endpoint"];
  if (flags["in-cluster"] || endpoint === "internal") return { server: inClusterServer };
  if (endpoint !== "kube-public") return { server: access.server };
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "kube-public", name: "cluster-info" };
  const found = await client.get(ref, io.signal);
  const text = isRecord(found?.data) ? found.data.kubeconfig : undefined;
  const value = typeof text === "string" ? parseYaml(text, { file: "kube-public/cluster-info" }) : undefined;
  const [first] = isRecord(value) && Array.isArray(value.clusters) ? value.clusters : [];
  const cluster = isRecord(first) && isRecord(first.cluster) ? first.cluster : {};
  if (typeof cluster.server === "string" && cluster.server !== "")
    return {
      server: cluster.server,
      ...(typeof cluster["certificate-authority-data"] === "string"
        ? { authority: cluster["certificate-authority-data"] }
        : {}),
    };
  io.err(`warning: kube-public/cluster-info names no address; that of the kubeconfig is taken\n`);
  return { server: access.server };
}
