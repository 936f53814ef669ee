import { assessHealth, buildTree } from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import {
  type Application,
  type ApplicationTree,
  apiVersionOf,
  instanceName,
  keyOf,
  keyText,
  type Manifest,
  type ResourceStatus,
} from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import type { TreeFeed } from "./tree-feed.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "clusters">;

export function getResourceTree(context: Needs): HandlerOf<"getResourceTree"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const cluster = context.clusters.forDestination(app.spec.destination);
    await cluster.live.ready(signal);
    return treeOf(app, { cluster, controlNamespace: context.controlNamespace });
  };
}

/** The tree as it is, then whenever it changes. */
export function watchResourceTree(context: Needs & { trees: TreeFeed }): HandlerOf<"watchResourceTree"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const cluster = context.clusters.forDestination(app.spec.destination);
    await cluster.live.ready(signal);
    return context.trees.watch(app, { cluster, signal });
  };
}

/** Objects with the application's tracking metadata and those that the last comparison names, with all they own. */
export function treeOf(
  app: Application,
  { cluster, controlNamespace }: { cluster: Cluster; controlNamespace: string },
): ApplicationTree {
  const { live } = cluster;
  const roots = new Map<string, Manifest>();
  for (const object of live.managedBy(instanceName(app, controlNamespace)))
    roots.set(keyText(keyOf(object)), object);
  const missing: Manifest[] = [];
  for (const resource of app.status?.resources ?? []) {
    const wanted = manifestOf(resource);
    const key = keyOf(wanted);
    const object = live.get(key);
    if (object) roots.set(keyText(key), object);
    else if (!resource.hook) missing.push(wanted);
  }
  return buildTree({
    roots: [...roots.values()],
    missing,
    childrenOf: (uid) => live.children(uid),
    healthOf: (object) => assessHealth(object),
  });
}

function manifestOf({ group = "", version = "", kind = "", namespace, name = "" }: ResourceStatus): Manifest {
  const metadata = { name, ...(namespace ? { namespace } : {}) };
  return { apiVersion: apiVersionOf(group, version), kind, metadata };
}
