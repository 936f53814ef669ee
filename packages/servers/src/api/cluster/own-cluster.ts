import { checkPermissions } from "@capstan/engine";
import { equalJson, isRecord } from "@capstan/formats";
import { type AppProject, annotationKeys, inClusterServer, projectOf } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import type { Identity } from "../../call.ts";
import { findProject } from "../access/find-project.ts";
import { requireRight } from "../access/rights.ts";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import { type ClusterNeeds, type KnownCluster, clusterResource as resource } from "./known-clusters.ts";
import { goesTo } from "./shown-cluster.ts";

/**
 * Whether the right to create is enough for the cluster that Capstan runs on, as it is in Argo CD while no Secret tells
 * of it (server/cluster Create): for a name and a project alone, while no other project's application goes there, and
 * where the project may go everywhere in it already: a cluster of a project is permitted to it by that alone. A project
 * that is not there gets no more than its name (`keepByName`).
 */
export function isClaim(
  context: Pick<ClusterNeeds, "live" | "controlNamespace">,
  { stored, wanted }: { stored: KnownCluster; wanted: RestCluster },
): boolean {
  const { server, project: name, labels, annotations, shard } = wanted;
  if (stored.secret || stored.server !== inClusterServer || server !== inClusterServer || !name) return false;
  const project = findProject(context, name);
  if ((project && !goesEverywhere(project, stored)) || isOthers(context, stored, name)) return false;
  return isNothing([reachOf(wanted), labels, annotations, shard]);
}

/**
 * A cluster that was claimed for a project before there was one stays that project's by name alone: whoever may claim
 * must not choose what a project of that name may do one day. Who may change the cluster itself decides otherwise.
 */
export function keepByName(
  { rights, ...context }: ClusterNeeds,
  { stored, wanted, user }: { stored: KnownCluster | undefined; wanted: RestCluster; user: Identity },
): RestCluster {
  const { server, project } = wanted;
  if (server !== inClusterServer || !project) return wanted;
  if (rights.allows(user, { resource, action: "update", object: inClusterServer })) return wanted;
  if (!stored?.isByName && (stored?.secret || findProject(context, project))) return wanted;
  return { ...wanted, annotations: { ...wanted.annotations, [annotationKeys.clusterByName]: "true" } };
}

function goesEverywhere({ spec, ...project }: AppProject, { server, name }: KnownCluster): boolean {
  const destinations = (spec.destinations ?? []).filter(({ namespace }) => namespace === "*");
  const refusals = checkPermissions({
    project: { ...project, spec: { ...spec, destinations } },
    repositories: [],
    destination: { server, name, namespace: "any" },
    applicationNamespace: "",
    controlNamespace: "",
  });
  return refusals.length === 0 && spec.permitOnlyProjectScopedClusters !== true;
}

function isOthers({ live }: Pick<ClusterNeeds, "live">, stored: KnownCluster, project: string): boolean {
  const apps = live.ofKind(applicationGroup, "Application").filter(isApplication);
  return apps.some((app) => goesTo(app, stored) && projectOf(app) !== project);
}

/** By what Capstan reaches a cluster, and how much of it. */
function reachOf({ namespaces, clusterResources, config }: Partial<RestCluster>) {
  return { namespaces, clusterResources, config };
}

/**
 * Capstan looks at its own objects through its own cluster: how it is reached is no matter of the project that it may
 * have. Asks for the right on the bare address where that changes.
 */
export function requireOwnReach(
  { rights }: Pick<ClusterNeeds, "rights">,
  { stored, wanted, user }: { stored: RestCluster | undefined; wanted: RestCluster; user: Identity },
): void {
  if (wanted.server !== inClusterServer) return;
  const [before, after] = [reachOf(stored ?? {}), reachOf(wanted)];
  if (equalJson(before, after) || isNothing([before, after])) return;
  requireRight(rights, user, { resource, action: "update", object: inClusterServer });
}

/** As Go's zero values: a message without a field has them. */
function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isNothing);
  if (isRecord(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null || value === "" || value === false || value === 0;
}
