import { createKubeClient, httpTransport } from "@capstan/kube";
import { inClusterServer } from "@capstan/model";
import { defineCommand, type FlagValues, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { kubeconfigPath } from "../../kubeconfig-path.ts";
import { clusterFlags } from "../cluster/add-flags.ts";
import { configOf, describeCluster, type KubeAccess, openContext } from "../cluster/described-cluster.ts";
import { accountToken } from "../cluster/install-manager.ts";
import { clusterSecretName } from "./argocd-secret-name.ts";
import { labelledSecret } from "./labelled-secret.ts";
import { formatFlags, writeSpec } from "./write-spec.ts";

const specFlags = {
  ...clusterFlags,
  ...formatFlags,
  "bearer-token": { kind: "string", help: "Token by which the cluster is managed", value: "TOKEN" },
  "generate-bearer-token": {
    kind: "boolean",
    help: "Fetch the token of --service-account, which the cluster must have",
  },
} as const;

type Values = FlagValues<typeof specFlags>;

export default defineCommand({
  usage: "CONTEXT",
  help: "Print the Secret by which a cluster is added. Only --generate-bearer-token asks the cluster.",
  examples: [
    "capstan admin cluster generate-spec prod --name production --generate-bearer-token",
    "capstan admin cluster generate-spec prod --exec-command aws --exec-command-args eks -o json",
  ],
  notes: "What is printed holds secrets: keep it as you keep them.\n",
  argument: "none",
  arity: [0, 1],
  flags: specFlags,
  async run({ args: [context = ""], flags, io }) {
    const file = kubeconfigPath(io, flags.kubeconfig);
    const endpoint = flags["cluster-endpoint"];
    if (flags["in-cluster"] && endpoint)
      throw new UsageError("Can only use one of --in-cluster or --cluster-endpoint");
    const access = await openContext(file, context);
    if (endpoint === "kube-public")
      io.err("warning: the address is the kubeconfig's: kube-public is not asked by this command\n");
    const server = flags["in-cluster"] || endpoint === "internal" ? inClusterServer : access.server;
    const { namespaces, ...described } = describeCluster(flags);
    const { labels, annotations, ...fields } = described;
    const config = await configOf(access, { flags, token: await tokenFor(access, flags, io) });
    const secret = labelledSecret({
      name: clusterSecretName(server),
      type: "cluster",
      labels,
      annotations,
      fields: {
        ...fields,
        namespaces: namespaces?.join(","),
        config: JSON.stringify(config),
        name: flags.name || context,
        server,
      },
    });
    await writeSpec(secret, flags, io);
    return 0;
  },
});

/** Nothing where credentials come from elsewhere; else a word in the place of the token that one will put there. */
async function tokenFor(access: KubeAccess, flags: Values, io: Io): Promise<string | undefined> {
  if (flags["aws-cluster-name"] || flags["exec-command"]) return undefined;
  if (!flags["generate-bearer-token"]) return flags["bearer-token"] ?? "bearer-token";
  await using transport = httpTransport(access, { clock: io.clock });
  const client = createKubeClient({ transport, userAgent: "capstan", clock: io.clock });
  const namespace = flags["system-namespace"] ?? "kube-system";
  const place = { client, clock: io.clock, signal: io.signal, namespace };
  return accountToken(place, flags["service-account"] ?? "argocd-manager");
}
