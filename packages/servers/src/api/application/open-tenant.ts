import { projectAccess } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import { type Application, CapstanError, projectOf } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { findProject } from "../project/find-project.ts";

/** The destination as the application's project lets it be seen and changed, by the rules of this moment. */
export function openTenant(
  context: Pick<ApiContext, "live" | "clusters" | "controlNamespace">,
  app: Application,
): TenantCluster {
  const { controlNamespace } = context;
  const project = findProject(context, projectOf(app));
  if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: projectOf(app) });
  const cluster = context.clusters.forDestination(app.spec.destination);
  const { name, namespace = controlNamespace } = app.metadata;
  const application = { name, namespace };
  return cluster.tenant(projectAccess({ project, application, cluster, controlNamespace }));
}
