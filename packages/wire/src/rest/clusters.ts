import { boolean, integer, list, map, object, optional, type Static, string } from "@capstan/model/shapes";
import { connectionStateSchema, type Empty, type ListOf } from "./answers.ts";
import { route } from "./route.ts";

const clusterConfigSchema = object({
  username: optional(string()),
  password: optional(string()),
  bearerToken: optional(string()),
  tlsClientConfig: optional(
    object({
      insecure: optional(boolean()),
      serverName: optional(string()),
      certData: optional(string()),
      keyData: optional(string()),
      caData: optional(string()),
    }),
  ),
  awsAuthConfig: optional(
    object({ clusterName: optional(string()), roleARN: optional(string()), profile: optional(string()) }),
  ),
  execProviderConfig: optional(
    object({
      command: optional(string()),
      args: optional(list(string())),
      env: optional(map(string())),
      apiVersion: optional(string()),
      installHint: optional(string()),
    }),
  ),
  disableCompression: optional(boolean()),
  proxyUrl: optional(string()),
});
export type ClusterConfig = Static<typeof clusterConfigSchema>;

const clusterSchema = object({
  server: string(),
  name: string(),
  config: optional(clusterConfigSchema),
  namespaces: optional(list(string())),
  clusterResources: optional(boolean()),
  project: optional(string()),
  shard: optional(integer()),
  labels: optional(map(string())),
  annotations: optional(map(string())),
  /** When it was asked for to be known anew. */
  refreshRequestedAt: optional(string()),
  serverVersion: optional(string()),
  connectionState: optional(connectionStateSchema),
  info: optional(
    object({
      connectionState: optional(connectionStateSchema),
      serverVersion: optional(string()),
      applicationsCount: integer(),
      apiVersions: optional(list(string())),
      cacheInfo: optional(object({ resourcesCount: optional(integer()), apisCount: optional(integer()) })),
    }),
  ),
});
export type RestCluster = Static<typeof clusterSchema>;
export type ClusterList = ListOf<RestCluster>;

/** Where the id is empty, as gRPC allows it, an address or a name says which. */
const clusterQuery = { "id.type": "string", server: "string", name: "string" } as const;

const ofId = { id: "id.value", "id.type": "id.type" } as const;

export const clusterRoutes = {
  listClusters: route("GET", "/api/v1/clusters", { server: "string", name: "string" })
    .rpc("cluster.ClusterService/List")
    .answers<ClusterList>(),
  createCluster: route("POST", "/api/v1/clusters", { upsert: "boolean" })
    .rpc("cluster.ClusterService/Create")
    .takes("cluster", clusterSchema)
    .answers<RestCluster>(),
  getCluster: route("GET", "/api/v1/clusters/{id}", clusterQuery)
    .rpc("cluster.ClusterService/Get", ofId)
    .answers<RestCluster>(),
  updateCluster: route("PUT", "/api/v1/clusters/{id}", { ...clusterQuery, updatedFields: "strings" })
    .rpc("cluster.ClusterService/Update", ofId)
    .takes("cluster", clusterSchema)
    .answers<RestCluster>(),
  rotateClusterAuth: route("POST", "/api/v1/clusters/{id}/rotate-auth", clusterQuery)
    .rpc("cluster.ClusterService/RotateAuth", ofId)
    .answers<Empty>(),
  invalidateClusterCache: route("POST", "/api/v1/clusters/{id}/invalidate-cache", clusterQuery)
    .rpc("cluster.ClusterService/InvalidateCache", ofId)
    .answers<RestCluster>(),
  deleteCluster: route("DELETE", "/api/v1/clusters/{id}", clusterQuery)
    .rpc("cluster.ClusterService/Delete", ofId)
    .answers<Empty>(),
} as const;
