import { buildTree, hostsOf, isCrd } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import {
  type Application,
  type ApplicationTree,
  apiVersionOf,
  instanceName,
  keyOf,
  keyText,
  type Manifest,
  type ResourceKey,
  type ResourceStatus,
} from "@capstan/model";
import type { HealthOf } from "@capstan/planning";
import { treeChanges } from "@capstan/wire";
import type { Call, HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { type ApplicationName, findApplication } from "./find-application.ts";
import { openTenant } from "./open-tenant.ts";
import { orphansOf } from "./orphans.ts";
import type { TreeFeed } from "./tree-feed.ts";

type Needs = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "settings" | "controlNamespace" | "clusters" | "scripts"
>;

export function getResourceTree(context: Needs): HandlerOf<"getResourceTree"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const cluster = openTenant(context, app);
    await cluster.live.ready(signal);
    const { controlNamespace, scripts, settings } = context;
    const { general } = settings.current;
    const orphans = orphansOf(context, app, cluster);
    const build = (healthOf: HealthOf) =>
      withHosts(treeOf(app, { cluster, controlNamespace, healthOf, ...general, orphans }), cluster, general);
    return scripts.health.judged(instanceName(app, controlNamespace), build, signal);
  };
}

type WatchNeeds = Needs & { trees: TreeFeed };

/** The tree as it is, then whenever it changes. */
export function watchResourceTree(context: WatchNeeds): HandlerOf<"watchResourceTree"> {
  return (request, call) => treesOf(context, request, call);
}

/** First the tree, then what changes in it. */
export function watchTreeChanges(context: WatchNeeds): HandlerOf<"watchTreeChanges"> {
  return async (request, call) => treeChanges(await treesOf(context, request, call));
}

async function treesOf(context: WatchNeeds, request: ApplicationName, { user, signal }: Call) {
  const app = await findApplication(context, { request, user, action: "get", signal });
  const cluster = context.clusters.forDestination(app.spec.destination);
  await cluster.live.ready(signal);
  return context.trees.watch(app, { cluster, signal });
}

/**
 * Objects with the application's tracking metadata, with all they own. The status, which is anybody's to write who may
 * write the Application, only adds what is missing and what it claims besides, as names alone; CRDs carry no tracking.
 */
export function treeOf(
  app: Application,
  {
    cluster,
    controlNamespace,
    healthOf,
    customLabels = [],
    orphans = [],
  }: {
    cluster: TenantCluster;
    controlNamespace: string;
    healthOf: HealthOf;
    customLabels?: readonly string[];
    orphans?: readonly Manifest[];
  },
): ApplicationTree {
  const { live } = cluster;
  const roots = new Map<string, Manifest>();
  for (const object of live.managedBy(instanceName(app, controlNamespace)))
    roots.set(keyText(keyOf(object)), object);
  const missing: Manifest[] = [];
  const claimed: Manifest[] = [];
  for (const resource of app.status?.resources ?? []) {
    const wanted = manifestOf(resource);
    const key = keyOf(wanted);
    if (roots.has(keyText(key)) || !cluster.permits(key)) continue;
    const object = live.get(key);
    if (object && isCrd(object)) roots.set(keyText(key), object);
    else if (object) claimed.push(wanted);
    else if (!resource.hook) missing.push(wanted);
  }
  return buildTree({
    roots: [...roots.values()],
    missing,
    claimed,
    childrenOf: (uid) => live.children(uid),
    healthOf,
    customLabels,
    orphans,
  });
}

/** The tree with the nodes on which its Pods are. */
export function withHosts(
  tree: ApplicationTree,
  { live }: Pick<TenantCluster, "live">,
  { nodeLabels: labels }: { nodeLabels: readonly string[] },
): ApplicationTree {
  const own = new Map<string, ResourceKey>();
  // What the status merely claims has no uid.
  for (const { group = "", kind, namespace = "", name, uid } of tree.nodes ?? [])
    if (kind === "Pod" && group === "" && uid !== undefined)
      own.set(`${namespace}/${name}`, { group, kind, namespace, name });
  if (own.size === 0) return tree;
  const isOwn = ({ metadata }: Manifest) => own.has(`${metadata.namespace ?? ""}/${metadata.name}`);
  const hosts = hostsOf(live.hostsOf([...own.values()]), { isOwn, labels });
  return hosts.length > 0 ? { ...tree, hosts } : tree;
}

function manifestOf({ group = "", version = "", kind = "", namespace, name = "" }: ResourceStatus): Manifest {
  const metadata = { name, ...(namespace ? { namespace } : {}) };
  return { apiVersion: apiVersionOf(group, version), kind, metadata };
}
