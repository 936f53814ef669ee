import { withoutEndSlashes } from "@capstan/formats";
import { CapstanError, labelKeys, type Manifest } from "@capstan/model";
import type { ClusterConfig, RestCluster } from "@capstan/wire";
import { secretName } from "../repository/repository-secret.ts";

/** What a request says of a cluster; refused where a tenant would decide what only an operator may. */
export function readCluster(given: RestCluster | undefined): RestCluster {
  const server = typeof given?.server === "string" ? withoutEndSlashes(given.server.trim()) : "";
  if (!given || !/^https?:\/\/[^\s@\\?#]+$/i.test(server) || !URL.canParse(server))
    throw invalid("server", "must be the https address of an API server, without user and password");
  const { project, config } = given;
  if (project && "execProviderConfig" in (config ?? {}))
    throw invalid(
      "config.execProviderConfig",
      `names a program that would run beside Capstan, which a cluster of project ${project} may not: let an operator add the cluster without a project, or give a bearerToken`,
    );
  return { ...given, server, name: given.name?.trim() || server };
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

export function clusterSecret(cluster: RestCluster, namespace: string): Manifest {
  const { server, name, config, namespaces, clusterResources, project, labels, annotations } = cluster;
  const texts: Record<string, string | undefined> = {
    server,
    name: name || server,
    config: JSON.stringify(config ?? ({} satisfies ClusterConfig)),
    namespaces: namespaces?.join(",") || undefined,
    clusterResources: clusterResources ? "true" : undefined,
    project,
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
      annotations: { ...annotations, "managed-by": "argocd.argoproj.io" },
    },
    type: "Opaque",
    data,
  };
}
