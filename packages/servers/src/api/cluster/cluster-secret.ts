import { isRecord, parseBoundedJson, withoutEndSlashes } from "@capstan/formats";
import { namesProgram } from "@capstan/kube";
import { annotationKeys, CapstanError, labelKeys, type Manifest } from "@capstan/model";
import type { ClusterConfig, RestCluster } from "@capstan/wire";
import { secretName } from "../repository/repository-secret.ts";
import type { KnownCluster } from "./known-clusters.ts";

/** What a request says of a cluster; refused where a tenant would decide what only an operator may. */
export function readCluster(given: RestCluster | undefined): RestCluster {
  const server = typeof given?.server === "string" ? withoutEndSlashes(given.server.trim()) : "";
  if (!given || !/^https?:\/\/[^\s@\\?#]+$/i.test(server) || !URL.canParse(server))
    throw invalid("server", "must be the https address of an API server, without user and password");
  const { project, config, annotations } = given;
  if (project && namesProgram(config))
    throw invalid(
      isRecord(config?.execProviderConfig) ? "config.execProviderConfig" : "config.awsAuthConfig",
      `names a program that would run beside Capstan, which a cluster of project ${project} may not: let an operator add the cluster without a project, or give a bearerToken`,
    );
  if (annotations && annotationKeys.lastApplied in annotations)
    throw invalid("annotations", `annotation ${annotationKeys.lastApplied} cannot be set`);
  return { ...given, server, name: given.name?.trim() || server };
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

export function clusterSecret(cluster: RestCluster, namespace: string): Manifest {
  const { server, name, config, namespaces, clusterResources, project, shard, labels, annotations } = cluster;
  const texts: Record<string, string | undefined> = {
    server,
    name: name || server,
    config: JSON.stringify(config ?? ({} satisfies ClusterConfig)),
    namespaces: namespaces?.join(",") || undefined,
    clusterResources: clusterResources ? "true" : undefined,
    project,
    shard: shard === undefined ? undefined : String(shard),
  };
  const data: Record<string, string> = {};
  for (const [field, text] of Object.entries(texts))
    if (text) data[field] = Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: secretName("cluster", server),
      namespace,
      labels: { ...labels, [labelKeys.secretType]: "cluster" },
      annotations: { ...annotations, [annotationKeys.managedBy]: "argocd.argoproj.io" },
    },
    type: "Opaque",
    data,
  };
}

/** A cluster with its credentials as its Secret holds them, also what is not read here. */
export function readStored(known: KnownCluster, secret: Manifest | undefined): RestCluster {
  const { server, name, namespaces, clusterResources, project, shard } = known;
  const { labels = {}, annotations = {} } = secret?.metadata ?? {};
  const { [labelKeys.secretType]: _type, ...ownLabels } = labels;
  const {
    [annotationKeys.lastApplied]: _applied,
    [annotationKeys.refresh]: _refresh,
    ...others
  } = annotations;
  const config = readConfig(secret);
  return {
    ...{ server, name },
    ...{ labels: ownLabels, annotations: others },
    ...(config ? { config } : {}),
    ...(namespaces ? { namespaces: [...namespaces] } : {}),
    ...(clusterResources ? { clusterResources } : {}),
    ...(project ? { project } : {}),
    ...(shard === undefined ? {} : { shard }),
  };
}

function readConfig(secret: Manifest | undefined): ClusterConfig | undefined {
  const encoded = isRecord(secret?.data) ? secret.data.config : undefined;
  if (typeof encoded !== "string") return undefined;
  const config = parseBoundedJson(Buffer.from(encoded, "base64").toString("utf8"));
  return isRecord(config) ? config : undefined;
}
