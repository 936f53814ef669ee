import { readFile } from "node:fs/promises";
import { isRecord } from "@capstan/formats";
import { createKubeClient, httpTransport, type KubeClient, openKubeconfig } from "@capstan/kube";
import { parseYaml } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import { defineCommand, type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { confirm } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { kubeconfigPath } from "../../kubeconfig-path.ts";
import { readPairs } from "../../read-pairs.ts";
import { addFlags } from "./add-flags.ts";
import { accountToken, installManager } from "./install-manager.ts";

type Values = FlagValues<typeof addFlags>;
type KubeAccess = Awaited<ReturnType<typeof openKubeconfig>>["config"];

const internal = "https://kubernetes.default.svc";

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
  async run({ args: [context], flags, io, api }) {
    const file = kubeconfigPath(io, flags.kubeconfig);
    if (context === undefined) throw new UsageError(`Choose a context name from: ${await contextsOf(file)}`);
    if (flags["in-cluster"] && flags["cluster-endpoint"])
      throw new UsageError("Can only use one of --in-cluster or --cluster-endpoint");
    const { config } = await openKubeconfig(file, context);
    const access = { ...config, ...compact({ proxyUrl: flags["proxy-url"] }) };
    await using transport = httpTransport(access, { clock: io.clock });
    const client = createKubeClient({ transport, userAgent: "capstan", clock: io.clock });
    const token = await managerToken(client, { context, flags, io });
    const { server, authority } = await addressOf(client, { flags, access, io });
    const cluster: RestCluster = {
      server,
      name: flags.name || context,
      config: await configOf(access, { flags, token, authority }),
      ...describe(flags),
    };
    await (await api()).call("createCluster", { cluster, upsert: flags.upsert ?? false });
    io.out(`Cluster '${server}' added\n`);
    return 0;
  },
});

async function contextsOf(file: string): Promise<string> {
  const value = parseYaml(await readFile(file, "utf8"), { file });
  const contexts = isRecord(value) && Array.isArray(value.contexts) ? value.contexts : [];
  return (
    contexts.flatMap((one) => (isRecord(one) ? [String(one.name)] : [])).join(", ") || `${file} has none`
  );
}

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
  if (flags["in-cluster"] || endpoint === "internal") return { server: internal };
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

/** A token counts before a certificate, so it is left out where there is one (cmd/util/cluster.go NewCluster). */
async function configOf(
  access: KubeAccess,
  { flags, token, authority }: { flags: Values; token: string | undefined; authority: string | undefined },
): Promise<NonNullable<RestCluster["config"]>> {
  const certData = await base64Of(access.certData, access.certFile);
  const keyData = await base64Of(access.keyData, access.keyFile);
  const caData = authority ?? (await base64Of(access.caData, access.caFile));
  const command = flags["exec-command"];
  const clusterName = flags["aws-cluster-name"];
  return compact({
    bearerToken: certData && keyData ? undefined : token,
    tlsClientConfig: compact({
      insecure: access.insecure,
      serverName: access.serverName,
      caData,
      certData,
      keyData,
    }),
    awsAuthConfig: clusterName
      ? { clusterName, ...compact({ roleARN: flags["aws-role-arn"], profile: flags["aws-profile"] }) }
      : undefined,
    execProviderConfig: command
      ? {
          command,
          ...compact({
            args: flags["exec-command-args"] && [...flags["exec-command-args"]],
            env: flags["exec-command-env"] && readPairs("exec-command-env", flags["exec-command-env"]),
            apiVersion: flags["exec-command-api-version"],
            installHint: flags["exec-command-install-hint"],
          }),
        }
      : undefined,
    disableCompression: flags["disable-compression"] ?? access.disableCompression,
    proxyUrl: access.proxyUrl,
  });
}

async function base64Of(text: string | undefined, file: string | undefined): Promise<string | undefined> {
  const pem = text ?? (file === undefined ? undefined : await readFile(file, "utf8"));
  return pem === undefined ? undefined : Buffer.from(pem).toString("base64");
}

function describe(flags: Values): Partial<RestCluster> {
  return compact({
    namespaces: flags.namespace && [...flags.namespace],
    clusterResources: flags["cluster-resources"],
    project: flags.project,
    shard: flags.shard,
    labels: flags.label && readPairs("label", flags.label),
    annotations: flags.annotation && readPairs("annotation", flags.annotation),
  });
}
