import { checkPermissions, clusterRefusal } from "@capstan/engine";
import type { DeepLink } from "@capstan/kube";
import { type Application, type AppProject, projectOf } from "@capstan/model";
import { evaluateLinks, type LinkObjects } from "@capstan/planning";
import { findProject, findRules } from "../access/find-project.ts";
import { knownClusters } from "../cluster/known-clusters.ts";
import { goesTo, linkedCluster } from "../cluster/shown-cluster.ts";
import type { ApiContext } from "../context.ts";

export type LinkNeeds = Pick<ApiContext, "live" | "controlNamespace" | "settings" | "log">;

/** Links of settings for an object. Who may see it sees them; why one is missing concerns whoever wrote it. */
export async function linksFor(
  { settings, log }: Pick<ApiContext, "settings" | "log">,
  kind: "application" | "project" | "resource",
  objects: LinkObjects,
): Promise<Omit<DeepLink, "condition">[]> {
  const { items, problems } = await evaluateLinks(settings.current.general.links[kind], objects);
  if (problems.length > 0)
    log.warn({ setting: `${kind}.links of ConfigMap argocd-cm`, problems }, "links are not shown");
  return items;
}

/** An application's project without its tokens, and its cluster, if the project lets it go there. */
export function placeOf(context: LinkNeeds, app: Application): Pick<LinkObjects, "cluster" | "project"> {
  const project = findProject(context, projectOf(app));
  const rules = findRules(context, projectOf(app));
  if (!project || !rules) return {};
  const cluster = knownClusters(context).find((one) => goesTo(app, one));
  const { controlNamespace } = context;
  const { namespace: applicationNamespace = controlNamespace } = app.metadata;
  const destination = {
    server: cluster?.server ?? "",
    name: cluster?.name ?? "",
    namespace: app.spec.destination.namespace ?? "",
  };
  const asked = { project: rules, repositories: [], destination, applicationNamespace, controlNamespace };
  const isPermitted = checkPermissions(asked).length === 0;
  if (!cluster || !isPermitted || clusterRefusal(rules, cluster)) return { project: withoutTokens(project) };
  return { project: withoutTokens(project), cluster: linkedCluster(cluster) };
}

/** server/project.go ListLinks. */
export function withoutTokens({ status: _status, ...project }: AppProject & { status?: unknown }): object {
  return project;
}
