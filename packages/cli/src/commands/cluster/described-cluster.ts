import { readFile } from "node:fs/promises";
import { isRecord } from "@capstan/formats";
import { openKubeconfig } from "@capstan/kube";
import { parseYaml } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import { type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { readPairs } from "../../read-pairs.ts";
import type { clusterFlags } from "./add-flags.ts";

type Values = FlagValues<typeof clusterFlags>;
export type KubeAccess = Awaited<ReturnType<typeof openKubeconfig>>["config"];

/** Which cluster a context of a kubeconfig is about, and who one is to it. */
export async function openContext(file: string, context: string): Promise<KubeAccess> {
  const names = await contextsOf(file);
  if (context === "")
    throw new UsageError(`Choose a context name from: ${names.join(", ") || `${file} has none`}`);
  if (!names.includes(context))
    throw new UsageError(`Context ${context} does not exist in kubeconfig ${file}`);
  return (await openKubeconfig(file, context)).config;
}

async function contextsOf(file: string): Promise<string[]> {
  const value = parseYaml(await readFile(file, "utf8"), { file });
  const contexts = isRecord(value) && Array.isArray(value.contexts) ? value.contexts : [];
  return contexts.flatMap((one) => (isRecord(one) ? [String(one.name)] : []));
}

/** A token counts before a certificate, so it is left out where there is one (cmd/util/cluster.go NewCluster). */
export async function configOf(
  access: KubeAccess,
  { flags, token, authority }: { flags: Values; token?: string | undefined; authority?: string | undefined },
): Promise<NonNullable<RestCluster["config"]>> {
  const certData = await base64Of(access.certData, access.certFile);
  const keyData = await base64Of(access.keyData, access.keyFile);
  const caData = authority ?? (await base64Of(access.caData, access.caFile));
  const command = flags["exec-command"];
  const clusterName = flags["aws-cluster-name"];
  return compact({
    bearerToken: certData && keyData ? undefined : token,
    tlsClientConfig: compact({
      insecure: access.insecure ?? false,
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

export function describeCluster(flags: Values): Partial<RestCluster> {
  return compact({
    namespaces: flags.namespace && [...flags.namespace],
    clusterResources: flags["cluster-resources"],
    project: flags.project,
    // argocd's default, -1, means none.
    shard: flags.shard === undefined || flags.shard < 0 ? undefined : flags.shard,
    labels: flags.label && readPairs("label", flags.label),
    annotations: flags.annotation && readPairs("annotation", flags.annotation),
  });
}
