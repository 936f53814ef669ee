import type { TenantCluster } from "@capstan/kube";
import { type Application, projectOf } from "@capstan/model";
import { openTenant as openForProject } from "@capstan/planning";
import { requireRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";

/** The destination as the application's project lets it be seen and changed, by the rules of this moment. */
export function openTenant(
  context: Pick<ApiContext, "live" | "clusters" | "controlNamespace" | "settings">,
  app: Application,
): TenantCluster {
  const project = requireRules(context, projectOf(app));
  const cluster = context.clusters.forDestination(app.spec.destination);
  return openForProject(context, { app, project, cluster });
}
