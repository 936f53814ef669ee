import type { LiveState, TenantCluster } from "@capstan/kube";
import {
  type Application,
  keyText,
  type Manifest,
  projectOf,
  type ResourceStatus,
  readInstanceName,
} from "@capstan/model";
import { findOrphans } from "@capstan/planning";
import { findRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";
import { applicationKey } from "./read-application.ts";

type Needs = Pick<ApiContext, "controlNamespace" | "settings"> & { live: Pick<LiveState, "get"> };

/** Objects of the application's namespace that no application has, as its project asks for them and permits them. */
export function orphansOf(context: Needs, app: Application, cluster: TenantCluster): Manifest[] {
  const project = findRules(context, projectOf(app));
  if (!project?.spec.orphanedResources) return [];
  return findOrphans({
    app,
    project,
    cluster,
    isApplication: (instance) => isApplicationThere(context, instance),
    // Anybody's to write who may write the Application: it only keeps objects out.
    own: new Set((app.status?.resources ?? []).map(textOf)),
  });
}

/** One of them, or below one. */
export function isOrphan(context: Needs, app: Application, { cluster, object }: Judged): boolean {
  const seen = new Set(orphansOf(context, app, cluster));
  for (const one of seen) {
    if (one.metadata.uid === object.metadata.uid) return true;
    for (const child of cluster.live.children(one.metadata.uid ?? "")) seen.add(child);
  }
  return false;
}

interface Judged {
  cluster: TenantCluster;
  object: Manifest;
}

export function isApplicationThere(
  { live, controlNamespace }: Pick<Needs, "live" | "controlNamespace">,
  instance: string,
): boolean {
  const { namespace, name } = readInstanceName(instance, controlNamespace);
  return live.get(applicationKey(namespace, name)) !== undefined;
}

function textOf({ group = "", kind = "", namespace = "", name = "" }: ResourceStatus): string {
  return keyText({ group, kind, namespace, name });
}
