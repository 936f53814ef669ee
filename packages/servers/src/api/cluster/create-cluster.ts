import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { writeSecret } from "../repository/labelled-secrets.ts";
import { askVersion } from "./ask-version.ts";
import { clusterSecret, readCluster } from "./cluster-secret.ts";
import {
  type ClusterNeeds,
  knownClusters,
  objectOf,
  requireChange,
  clusterResource as resource,
  secretOf,
} from "./known-clusters.ts";
import { reached } from "./shown-cluster.ts";

/** The right is on the address, with its project before it; of a known address also on what is stored. */
export function createCluster(context: ClusterNeeds): HandlerOf<"createCluster"> {
  return async ({ cluster, upsert = false }, { user, signal }) => {
    const wanted = readCluster(cluster);
    const { server, project, name } = wanted;
    const object = objectOf({ server, project });
    requireRight(context.rights, user, { resource, action: "create", object });
    const known = knownClusters(context).filter((one) => one.server === server || one.name === name);
    for (const one of known) requireChange(context, { stored: one, wanted, upsert, user });
    if (upsert && known.length > 0)
      requireRight(context.rights, user, { resource, action: "update", object });
    const stored = known.find((one) => one.server === server);
    const what = `cluster "${server}"`;
    const secret = clusterSecret(wanted, context.controlNamespace);
    const { read, version } = await askVersion(context, secret, signal);
    await writeSecret(context, secret, { stored: secretOf(stored), upsert, what, signal });
    return reached(context, read, version);
  };
}
