import type { TenantCluster } from "@capstan/kube";
import { type Application, CapstanError, type Manifest } from "@capstan/model";
import type { KubeEventList } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { eventList, listEvents } from "../list-events.ts";
import { findApplication } from "./find-application.ts";
import { openTenant } from "./open-tenant.ts";
import { treeOf } from "./resource-tree.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "settings" | "controlNamespace" | "clusters">;

/** Of the application itself, or of a resource of its tree (server/application.go ListResourceEvents). */
export function listApplicationEvents(context: Needs): HandlerOf<"listApplicationEvents"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const { name, namespace = context.controlNamespace, uid } = app.metadata;
    const isOfResource = Boolean(request.resourceName || request.resourceUID);
    const own = isOfResource
      ? undefined
      : await listEvents(context.kube, { namespace, object: { name, uid } }, signal);
    if (own && !request.withObjects) return own;
    const cluster = openTenant(context, app);
    await cluster.live.ready(signal);
    if (own) {
      const objects = treeObjects(context, app, cluster);
      const warnings = eventList(await cluster.client.warningsOf(objects, signal));
      return { ...own, items: [...own.items, ...warnings.items] };
    }
    return eventsOfResource(context, app, { cluster, request, signal });
  };
}

interface Asked {
  cluster: TenantCluster;
  request: Parameters<HandlerOf<"listApplicationEvents">>[0];
  signal: AbortSignal;
}

function treeObjects({ controlNamespace }: Needs, app: Application, cluster: TenantCluster): Manifest[] {
  const nodes = treeOf(app, { cluster, controlNamespace, healthOf: () => undefined }).nodes ?? [];
  return nodes.flatMap(({ uid }) => (uid ? (cluster.live.byUid(uid) ?? []) : []));
}

async function eventsOfResource(
  { controlNamespace }: Needs,
  app: Application,
  { cluster, request, signal }: Asked,
): Promise<KubeEventList> {
  const { resourceName, resourceNamespace, resourceUID } = request;
  const nodes = treeOf(app, { cluster, controlNamespace, healthOf: () => undefined }).nodes ?? [];
  const meant = nodes.filter(
    ({ uid, name, namespace = "" }) =>
      (!resourceUID || uid === resourceUID) &&
      (!resourceName || name === resourceName) &&
      (!resourceNamespace || namespace === resourceNamespace),
  );
  if (meant.length === 0)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "resourceName",
      problem: `${resourceName || resourceUID} is not found as part of application ${app.metadata.name}`,
    });
  const objects = meant.flatMap(({ uid }) => (uid ? (cluster.live.byUid(uid) ?? []) : []));
  const found = await Promise.all(objects.map((object) => cluster.client.eventsOf(object, signal)));
  return eventList(found.flat());
}
