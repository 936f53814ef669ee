import { withoutEndSlashes } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { askVersion } from "./ask-version.ts";
import { clusterSecret, readCluster, readStored } from "./cluster-secret.ts";
import { fetchClusterSecret, keepCluster } from "./kept-cluster.ts";
import {
  type ClusterNeeds,
  findCluster,
  type KnownCluster,
  knownClusters,
  objectOf,
  requireChange,
  clusterResource as resource,
} from "./known-clusters.ts";
import { keepByName, requireOwnReach } from "./own-cluster.ts";
import { reached } from "./shown-cluster.ts";

/** What `updatedFields` may name (server/cluster clusterFieldsByPath); others of them count for nothing, as there. */
const changeable = [
  "name",
  "namespaces",
  "config",
  "shard",
  "clusterResources",
  "labels",
  "annotations",
  "project",
] as const satisfies readonly (keyof RestCluster)[];

/** Replaces all of a cluster but its address, or the fields that are named. The right is on what is stored and on what it becomes. */
export function updateCluster(context: ClusterNeeds): HandlerOf<"updateCluster"> {
  return async ({ cluster, updatedFields = [], ...asked }, { user, signal }) => {
    const found = findCluster(context, {
      asked: { ...asked, id: asked.id || cluster?.server || "" },
      user,
      action: "update",
    });
    const secret = await fetchClusterSecret(context, found, signal);
    const stored = readStored(found, secret);
    const wanted = readCluster(change(stored, cluster ?? {}, updatedFields));
    requireSameAddress(found, cluster);
    requireBecoming(context, { found, wanted, user });
    requireOwnReach(context, { stored, wanted, user });
    const kept = keepByName(context, { stored: found, wanted, user });
    const changed = clusterSecret(kept, context.controlNamespace);
    const { read, version } = await askVersion(context, changed, signal);
    await keepCluster(context, changed, { before: secret, signal });
    return reached(context, read, version);
  };
}

function change(stored: RestCluster, given: Partial<RestCluster>, fields: readonly string[]): RestCluster {
  const { server, name } = stored;
  if (fields.length === 0) return { ...given, server, name: given.name || name };
  const changed: RestCluster = { ...stored };
  for (const field of changeable)
    if (fields.includes(field)) Object.assign(changed, { [field]: given[field] });
  return changed;
}

function requireSameAddress({ server }: KnownCluster, given: Partial<RestCluster> | undefined): void {
  const wanted = withoutEndSlashes(given?.server?.trim() ?? "");
  if (wanted === "" || wanted === server) return;
  const problem = `is ${server}, and a cluster keeps its address: add another cluster`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "cluster.server", problem });
}

function requireBecoming(
  context: ClusterNeeds,
  { found, wanted, user }: { found: KnownCluster; wanted: RestCluster; user: Identity },
): void {
  const { rights } = context;
  requireRight(rights, user, { resource, action: "update", object: objectOf(wanted) });
  const others = knownClusters(context).filter(
    ({ server, name }) => server !== found.server && name === wanted.name,
  );
  for (const stored of others) requireChange(context, { stored, wanted, upsert: true, user });
}
