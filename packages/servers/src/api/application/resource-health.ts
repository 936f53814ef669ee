import { assessHealth } from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import { type Application, type ResourceStatus, withoutEndSlashes } from "@capstan/model";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "clusters">;

/**
 * The application with the health of each of its resources, which the status does not hold
 * (server/application.go inferResourcesStatusHealth).
 */
export function withResourceHealth({ clusters }: Needs, app: Application): Application {
  const { status } = app;
  if (!status?.resources?.some(({ health }) => health === undefined)) return app;
  const cluster = clusterOf(clusters, app);
  if (!cluster) return app;
  return {
    ...app,
    status: { ...status, resources: status.resources.map((one) => withHealth(one, cluster)) },
  };
}

function clusterOf(clusters: Needs["clusters"], { spec }: Application): Cluster | undefined {
  const { server, name } = spec.destination;
  return clusters
    .open()
    .find((one) => (server ? one.server === withoutEndSlashes(server) : one.name === name));
}

function withHealth(resource: ResourceStatus, { live }: Cluster): ResourceStatus {
  const { group = "", kind = "", namespace = "", name = "", health, hook } = resource;
  if (health !== undefined) return resource;
  const object = live.get({ group, kind, namespace, name });
  if (object === undefined) return hook ? resource : { ...resource, health: { status: "Missing" } };
  const found = assessHealth(object);
  return found ? { ...resource, health: found } : resource;
}
