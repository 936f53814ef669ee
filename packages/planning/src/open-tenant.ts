import { actingAccount, projectAccess } from "@capstan/engine";
import type { Cluster, Settings, TenantCluster } from "@capstan/kube";
import type { Application, AppProject } from "@capstan/model";

export interface TenantInput {
  app: Application;
  project: AppProject;
  cluster: Cluster;
}

interface Needs {
  controlNamespace: string;
  settings: { readonly current: Pick<Settings, "general"> };
}

/** The cluster as this application may see and change it, by its project's rules and the settings of this moment. */
export function openTenant(
  { controlNamespace, settings }: Needs,
  { app, project, cluster }: TenantInput,
): TenantCluster {
  const { name, namespace = controlNamespace } = app.metadata;
  const application = { name, namespace };
  const { impersonation } = settings.current.general;
  const actsAs = actingAccount({ app, project, server: cluster.server, controlNamespace, impersonation });
  return cluster.tenant(projectAccess({ project, application, cluster, controlNamespace, actsAs }));
}
