import { isDeepStrictEqual } from "node:util";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { writeSecret } from "../repository/labelled-secrets.ts";
import { askVersion } from "./ask-version.ts";
import { clusterSecret, readCluster, readStored } from "./cluster-secret.ts";
import { fetchClusterSecret } from "./kept-cluster.ts";
import {
  type ClusterNeeds,
  knownClusters,
  objectOf,
  requireChange,
  clusterResource as resource,
  secretOf,
} from "./known-clusters.ts";
import { isClaim, keepByName, requireOwnReach } from "./own-cluster.ts";
import { reached } from "./shown-cluster.ts";

/**
 * The right is on the address, with its project before it; of a known address also on what is stored, unless that is
 * the same again.
 */
export function createCluster(context: ClusterNeeds): HandlerOf<"createCluster"> {
  return async ({ cluster, upsert = false }, { user, signal }) => {
    const wanted = readCluster(cluster);
    const { server, project, name } = wanted;
    const object = objectOf({ server, project });
    requireRight(context.rights, user, { resource, action: "create", object });
    const known = knownClusters(context).filter((one) => one.server === server || one.name === name);
    const stored = known.find((one) => one.server === server);
    const isSameObject = stored !== undefined && objectOf(stored) === object;
    const before = isSameObject ? await fetchClusterSecret(context, stored, signal) : undefined;
    const kept = keepByName(context, { stored, wanted, user });
    const secret = clusterSecret(kept, context.controlNamespace);
    const isSame = isDeepStrictEqual(before?.data, secret.data);
    const changed = known
      .filter((one) => one !== stored || !isSame)
      .filter((one) => !isClaim(context, { stored: one, wanted }));
    for (const one of changed) requireChange(context, { stored: one, wanted, upsert, user });
    if (upsert && changed.length > 0)
      requireRight(context.rights, user, { resource, action: "update", object });
    requireOwnReach(context, { stored: stored && before && readStored(stored, before), wanted, user });
    const what = `cluster "${server}"`;
    const { read, version } = await askVersion(context, secret, signal);
    await writeSecret(context, secret, { stored: secretOf(stored), upsert, what, signal });
    return reached(context, read, version);
  };
}
