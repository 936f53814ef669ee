import { isCrd, isSafeLink } from "@capstan/engine";
import { withoutEndSlashes } from "@capstan/formats";
import type { TenantCluster } from "@capstan/kube";
import { type Application, instanceName, isCapstanError, type ResourceStatus } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { isOwned } from "./find-resource.ts";
import { openTenant } from "./open-tenant.ts";

type Needs = Pick<ApiContext, "clusters" | "live" | "controlNamespace" | "settings" | "scripts">;

/**
 * The application with the health of each of its resources, which the status does not hold
 * (server/application.go inferResourcesStatusHealth).
 */
export function withResourceHealth(context: Needs, app: Application): Application {
  const shown = withSafeLinks(app);
  const { status } = shown;
  if (!lacksHealth(app)) return shown;
  const cluster = tenantOf(context, app);
  if (!cluster) return shown;
  return {
    ...app,
    status: {
      ...status,
      resources: (status?.resources ?? []).map((one) => withHealth(context, one, { app, cluster })),
    },
  };
}

const lacking = new WeakMap<Application, boolean>();

/** Looked at once for each version of an application: each watch begins with all of them. */
function lacksHealth(app: Application): boolean {
  const known = lacking.get(app);
  if (known !== undefined) return known;
  const found = app.status?.resources?.some(({ health }) => health === undefined) ?? false;
  lacking.set(app, found);
  return found;
}

/** The summary is anybody's to write who may write the Application. */
function withSafeLinks(app: Application): Application {
  const { status } = app;
  const urls = status?.summary?.externalURLs;
  if (!urls || urls.every(isSafeLink)) return app;
  const summary = { ...status?.summary, externalURLs: urls.filter(isSafeLink) };
  return { ...app, status: { ...status, summary } };
}

/** A cluster that nobody has looked at yet is not connected to for a list. */
function tenantOf(context: Needs, app: Application): TenantCluster | undefined {
  const { server, name } = app.spec.destination;
  const isOpen = context.clusters
    .open()
    .some((one) => (server ? one.server === withoutEndSlashes(server) : one.name === name));
  if (!isOpen) return undefined;
  try {
    return openTenant(context, app);
  } catch (error) {
    if (isCapstanError(error)) return undefined;
    throw error;
  }
}

/** What the status names without owning it tells nothing but its name. */
function withHealth(
  context: Needs,
  resource: ResourceStatus,
  { app, cluster }: { app: Application; cluster: TenantCluster },
): ResourceStatus {
  const { group = "", kind = "", namespace = "", name = "", health, hook } = resource;
  const key = { group, kind, namespace, name };
  if (health !== undefined || !cluster.permits(key)) return resource;
  const object = cluster.live.get(key);
  if (object === undefined) return hook ? resource : { ...resource, health: { status: "Missing" } };
  if (!isCrd(object) && !isOwned(context, app, { cluster, object })) return resource;
  const found = context.scripts.health.now(instanceName(app, context.controlNamespace), object);
  return found ? { ...resource, health: found } : resource;
}
