import { blockersOf, isCrd } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import {
  type Application,
  CapstanError,
  formatKey,
  instanceName,
  isCapstanError,
  keyOf,
  type Manifest,
  projectOf,
  type ResourceKey,
  sameKey,
} from "@capstan/model";
import type { Identity } from "../../call.ts";
import { findProject } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";
import { type ApplicationName, findApplication } from "./find-application.ts";
import { openTenant } from "./open-tenant.ts";
import { isOrphan } from "./orphans.ts";
import { type RenderNeeds, renderApplication } from "./render-application.ts";

export interface ResourceName extends ApplicationName {
  readonly namespace?: string | undefined;
  readonly resourceName?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
}

export type ResourceNeeds = RenderNeeds & Pick<ApiContext, "kube" | "rights">;

export interface FoundResource {
  app: Application;
  cluster: TenantCluster;
  key: ResourceKey;
  object: Manifest;
}

interface Find {
  request: ResourceName;
  user: Identity;
  /** `update` and `delete` are asked of this resource: `delete/<group>/<kind>/<ns>/<name>`. */
  action: string;
  signal: AbortSignal;
}

/**
 * A live object of an application's tree that its project permits, orphans of its namespace included where the project
 * watches for them (v1alpha1 ApplicationTree.FindNode); others are not reached through it.
 */
export async function findResource(
  context: ResourceNeeds,
  { request, user, action, signal }: Find,
): Promise<FoundResource> {
  const key = readKey(request);
  const app = await findApplication(context, {
    request,
    user,
    ...resourceActions(context, action, key),
    signal,
  });
  if (action !== "get") refuseHeldChange(context, app);
  const cluster = openTenant(context, app);
  await cluster.live.ready(signal);
  const known = cluster.live.get(key);
  const isOwn = known && (await belongs(context, app, { cluster, object: known, signal }));
  const object = isOwn && (await readAs(cluster, known, signal));
  if (!object)
    throw new CapstanError({
      code: "NOT_FOUND",
      what: `${formatKey(key)} of application "${app.metadata.name}"`,
    });
  return { app, cluster, key, object };
}

/** A service account that acts for the application must be able to read it too (Argo CD 3.6 getAppLiveResource). */
async function readAs(
  { actsAs, client }: TenantCluster,
  known: Manifest,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  return actsAs.kind === "capstan" ? known : client.get(refOfObject(known), signal);
}

/** What settings of this moment would permit is not known while one of them cannot be read. */
function refuseHeldChange(context: ResourceNeeds, app: Application): void {
  const project = findProject(context, projectOf(app));
  if (!project) return;
  const { unreadable } = context.settings.current;
  const held = blockersOf({ app, project, settings: { unreadable } }).find(
    ({ holdsChanges }) => holdsChanges,
  );
  if (!held) return;
  const what = `objects of application "${app.metadata.name}"`;
  throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem: held.message });
}

function readKey({ group, kind, namespace, resourceName }: ResourceName): ResourceKey {
  if (!kind) throw new CapstanError({ code: "INVALID_ARGUMENT", field: "kind", problem: "is missing" });
  if (!resourceName)
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "resourceName", problem: "is missing" });
  return { group: group ?? "", kind, namespace: namespace ?? "", name: resourceName };
}

/** The right on an application itself is none on its objects, unless the settings say so (server/application.go getAppLiveResource). */
function resourceActions(
  { settings }: Pick<ApiContext, "settings">,
  action: string,
  { group, kind, namespace, name }: ResourceKey,
): { action: string; orAction?: string } {
  if (action !== "update" && action !== "delete") return { action };
  const fine = `${action}/${group}/${kind}/${namespace}/${name}`;
  return settings.current.general.fineGrainedInheritance ? { action, orAction: fine } : { action: fine };
}

async function belongs(
  context: ResourceNeeds,
  app: Application,
  { cluster, object, signal }: { cluster: TenantCluster; object: Manifest; signal: AbortSignal },
): Promise<boolean> {
  if (isOwned(context, app, { cluster, object })) return true;
  if (isOrphan(context, app, { cluster, object })) return true;
  // CRDs carry no tracking metadata: what the sources say tells whose they are. The status is anybody's to write.
  return isCrd(object) && isRendered(context, app, { key: keyOf(object), signal });
}

/** By the live tree, never by what the Application's status says. */
export function isOwned(
  { controlNamespace }: Pick<ApiContext, "controlNamespace">,
  app: Application,
  { cluster, object }: { cluster: TenantCluster; object: Manifest },
): boolean {
  return cluster.live.appsOf(object).includes(instanceName(app, controlNamespace));
}

async function isRendered(
  context: RenderNeeds,
  app: Application,
  { key, signal }: { key: ResourceKey; signal: AbortSignal },
): Promise<boolean> {
  try {
    const { manifests, unverified } = await renderApplication(context, app, { signal });
    return (
      unverified.length === 0 &&
      manifests.some(({ manifest }) => sameKey({ ...keyOf(manifest), namespace: "" }, key))
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isCapstanError(error)) return false;
    throw error;
  }
}

export function refOfObject({ apiVersion, kind, metadata }: Manifest) {
  return { apiVersion, kind, name: metadata.name ?? "", namespace: metadata.namespace };
}
