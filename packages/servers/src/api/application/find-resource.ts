import type { Cluster } from "@capstan/kube";
import {
  type Application,
  CapstanError,
  formatKey,
  instanceName,
  type Manifest,
  type ResourceKey,
} from "@capstan/model";
import type { Identity } from "../../call.ts";
import { applicationObject } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { type ApplicationName, findApplication } from "./find-application.ts";

export interface ResourceName extends ApplicationName {
  readonly namespace?: string | undefined;
  readonly resourceName?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
}

export type ResourceNeeds = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "clusters">;

export interface FoundResource {
  app: Application;
  cluster: Cluster;
  key: ResourceKey;
  object: Manifest;
}

interface Find {
  request: ResourceName;
  user: Identity;
  /** On the application, or on this resource of it: `delete` also allows `delete/<group>/<kind>/<ns>/<name>`. */
  action: string;
  signal: AbortSignal;
}

/** A live object of an application's tree; others are not reached through it. */
export async function findResource(
  context: ResourceNeeds,
  { request, user, action, signal }: Find,
): Promise<FoundResource> {
  const app = await findApplication(context, { request, user, action: "get", signal });
  const key = readKey(request);
  requireResourceRight(context, app, { user, action, key });
  const cluster = context.clusters.forDestination(app.spec.destination);
  await cluster.live.ready(signal);
  const object = cluster.live.get(key);
  if (!object || !belongs(context, app, { cluster, object, key }))
    throw new CapstanError({
      code: "NOT_FOUND",
      what: `${formatKey(key)} of application "${app.metadata.name}"`,
    });
  return { app, cluster, key, object };
}

function readKey({ group, kind, namespace, resourceName }: ResourceName): ResourceKey {
  if (!kind) throw new CapstanError({ code: "INVALID_ARGUMENT", field: "kind", problem: "is missing" });
  if (!resourceName)
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "resourceName", problem: "is missing" });
  return { group: group ?? "", kind, namespace: namespace ?? "", name: resourceName };
}

function requireResourceRight(
  { rights, controlNamespace }: Pick<ApiContext, "rights" | "controlNamespace">,
  app: Application,
  { user, action, key }: { user: Identity; action: string; key: ResourceKey },
): void {
  const object = applicationObject(app, controlNamespace);
  const { group, kind, namespace, name } = key;
  const fine = action.startsWith("action/") ? action : `${action}/${group}/${kind}/${namespace}/${name}`;
  for (const one of [action, fine])
    if (rights.allows(user, { resource: "applications", action: one, object })) return;
  throw new CapstanError({
    code: "FORBIDDEN",
    action,
    what: `${formatKey(key)} of ${object}`,
    user: user.name,
  });
}

function belongs(
  { controlNamespace }: Pick<ApiContext, "controlNamespace">,
  app: Application,
  { cluster, object, key }: { cluster: Cluster; object: Manifest; key: ResourceKey },
): boolean {
  if (cluster.live.appsOf(object).includes(instanceName(app, controlNamespace))) return true;
  // CRDs carry no tracking metadata: the last comparison says whose they are.
  return (app.status?.resources ?? []).some(
    ({ group = "", kind, namespace = "", name }) =>
      group === key.group && kind === key.kind && namespace === key.namespace && name === key.name,
  );
}

export function refOfObject({ apiVersion, kind, metadata }: Manifest) {
  return { apiVersion, kind, name: metadata.name ?? "", namespace: metadata.namespace };
}
