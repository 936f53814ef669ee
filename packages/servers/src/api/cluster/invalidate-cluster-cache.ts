import { formatTime } from "@capstan/formats";
import { annotationKeys } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { clusterSecret, readStored } from "./cluster-secret.ts";
import { fetchClusterSecret, keepCluster } from "./kept-cluster.ts";
import { type ClusterNeeds, findCluster } from "./known-clusters.ts";
import { shownCluster } from "./shown-cluster.ts";

/** Everything that is known of a cluster is asked anew: its Secret gets the time of it, by which it is connected to again. */
export function invalidateClusterCache(context: ClusterNeeds): HandlerOf<"invalidateClusterCache"> {
  return async (asked, { user, signal }) => {
    const found = findCluster(context, { asked, user, action: "update" });
    const before = await fetchClusterSecret(context, found, signal);
    const refreshRequestedAt = formatTime(context.clock.now());
    const made = before ?? clusterSecret(readStored(found, undefined), context.controlNamespace);
    const annotations = { ...made.metadata.annotations, [annotationKeys.refresh]: refreshRequestedAt };
    const changed = { ...made, metadata: { ...made.metadata, annotations } };
    await keepCluster(context, changed, { before, signal });
    return { ...shownCluster(context, found), refreshRequestedAt };
  };
}
