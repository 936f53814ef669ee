import { isRecord, parseBoundedJson, withoutEndSlashes } from "@capstan/formats";
import {
  type ApplicationDestination,
  annotationKeys,
  CapstanError,
  inClusterName,
  inClusterServer,
  type Manifest,
} from "@capstan/model";
import { recordAt, textAt } from "../read-json.ts";
import type { ClusterConfig, ExecConfig } from "../transport/cluster-config.ts";
import { awsProgram, officialProgram } from "../transport/official-programs.ts";
import { readExecProvider } from "../transport/read-kubeconfig.ts";
import { ValueReader } from "./read-values.ts";
import { secretTexts } from "./secret-texts.ts";
import type { ClusterSettings, Settings, SettingsProblem } from "./settings.ts";

/** What a Secret that is not kept yet will say of a cluster. Rejects where it could not be read. */
export function readCluster(secret: Manifest): ClusterSettings {
  const problems: SettingsProblem[] = [];
  const reader = new ValueReader("cluster", secretTexts(secret), problems);
  const read = readClusterSecret(secret, reader);
  const [first] = problems;
  if (read && !first) return read;
  const { field = "cluster", problem = "cannot be read" } = first ?? {};
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

/** A Secret with the label secret-type=cluster. Source: util/db/cluster.go SecretToCluster. */
export function readClusterSecret(secret: Manifest, reader: ValueReader): ClusterSettings | undefined {
  const server = withoutEndSlashes(reader.text("server") ?? "");
  if (server === "") {
    reader.problem("server", "is missing");
    return undefined;
  }
  const config = readConfig(server, reader);
  if (!config) return undefined;
  const namespaces = reader.list("namespaces");
  return {
    server,
    name: reader.text("name") ?? server,
    project: reader.text("project"),
    isByName:
      server === inClusterServer && secret.metadata.annotations?.[annotationKeys.clusterByName] === "true",
    namespaces: namespaces.length === 0 ? undefined : namespaces,
    clusterResources: reader.boolean("clusterResources", false),
    shard: reader.integer("shard"),
    labels: secret.metadata.labels ?? {},
    annotations: secret.metadata.annotations ?? {},
    config,
    secret: {
      secretName: secret.metadata.name ?? "",
      resourceVersion: secret.metadata.resourceVersion ?? "",
    },
  };
}

function readConfig(server: string, reader: ValueReader): ClusterConfig | undefined {
  const text = reader.text("config") ?? "{}";
  let config: unknown;
  try {
    config = parseBoundedJson(text);
  } catch {
    config = undefined;
  }
  if (!isRecord(config)) {
    reader.problem("config", "is not a JSON object");
    return undefined;
  }
  const aws = isRecord(config.awsAuthConfig) ? awsProgram(config.awsAuthConfig) : undefined;
  if (isRecord(config.awsAuthConfig) && !aws) {
    reader.problem("config.awsAuthConfig.clusterName", "is missing");
    return undefined;
  }
  const provider = isRecord(config.execProviderConfig) ? config.execProviderConfig : undefined;
  if (provider && !textAt(provider, "command")) {
    reader.problem("config.execProviderConfig.command", "is missing");
    return undefined;
  }
  const tls = recordAt(config, "tlsClientConfig");
  const optional = {
    caData: decoded(tls, "caData"),
    certData: decoded(tls, "certData"),
    keyData: decoded(tls, "keyData"),
    serverName: textAt(tls, "serverName"),
    bearerToken: textAt(config, "bearerToken"),
    username: textAt(config, "username"),
    password: textAt(config, "password"),
    proxyUrl: textAt(config, "proxyUrl"),
  };
  return {
    server,
    ...withoutEmpty(optional),
    ...(tls.insecure === true ? { insecure: true } : {}),
    ...(config.disableCompression === true ? { disableCompression: true } : {}),
    ...execOf(aws, provider),
  };
}

/** AWS before a program, as Argo CD takes them (v1alpha1 Cluster.RawRestConfig). */
function execOf(
  aws: ExecConfig | undefined,
  provider: Record<string, unknown> | undefined,
): Pick<ClusterConfig, "exec"> {
  if (aws) return { exec: aws };
  return provider ? { exec: officialProgram(readExecProvider(provider)) } : {};
}

function withoutEmpty<K extends string>(fields: Record<K, string | undefined>): Partial<Record<K, string>> {
  const kept: Partial<Record<K, string>> = {};
  for (const field in fields) {
    const value = fields[field];
    if (value) kept[field] = value;
  }
  return kept;
}

function decoded(tls: Record<string, unknown>, field: string): string | undefined {
  const text = textAt(tls, field);
  return text ? Buffer.from(text, "base64").toString("utf8") : undefined;
}

export interface NamedCluster {
  server: string;
  name: string;
}

/**
 * The cluster that a destination means. The cluster that Capstan runs on needs no Secret; one with its server
 * renames or replaces it. Source: util/argo/argo.go GetDestinationCluster.
 */
export function clusterFor(
  { clusters, general }: Pick<Settings, "clusters" | "general">,
  destination: ApplicationDestination,
): NamedCluster {
  const { name, server } = destination;
  if (name && server) {
    const problem = `names both a cluster (${name}) and a server (${server}); keep one of them`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "spec.destination", problem });
  }
  const known: NamedCluster[] = [...clusters];
  const own = { server: inClusterServer, name: inClusterName };
  const isListed = clusters.some((cluster) => cluster.server === inClusterServer);
  if (!isListed && general.inClusterEnabled) known.push(own);
  if (!name && !server) {
    const problem = "names no cluster; set server or name";
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "spec.destination", problem });
  }
  const found = known.filter((cluster) => isMeant(cluster, destination));
  const [first, second] = found;
  if (name && first && second) throw new CapstanError({ code: "CLUSTER_AMBIGUOUS", name });
  if (first) return first;
  if (isMeant(own, destination))
    throw new CapstanError({ code: "CLUSTER_DISABLED", cluster: inClusterServer });
  // Which others there are is not for everybody whose application says so.
  throw new CapstanError({ code: "CLUSTER_MISSING", cluster: name || server || "", isName: !server });
}

function isMeant(cluster: NamedCluster, { name, server }: ApplicationDestination): boolean {
  if (server) return cluster.server === withoutEndSlashes(server);
  if (cluster.name === name) return true;
  return name === inClusterName && cluster.server === inClusterServer;
}
