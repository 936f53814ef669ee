import { projectAccess } from "@capstan/engine";
import type { Cluster, TenantCluster } from "@capstan/kube";
import type { Application, AppProject } from "@capstan/model";

export interface TenantInput {
  app: Application;
  project: AppProject;
  cluster: Cluster;
}

/** The cluster as this application may see and change it, by its project's rules of this moment. */
export function openTenant(
  { controlNamespace }: { controlNamespace: string },
  { app, project, cluster }: TenantInput,
): TenantCluster {
  const { name, namespace = controlNamespace } = app.metadata;
  const application = { name, namespace };
  return cluster.tenant(projectAccess({ project, application, cluster, controlNamespace }));
}
