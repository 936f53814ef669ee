import type { HandlerOf } from "../../call.ts";
import { type ClusterNeeds, knownClusters, objectOf, clusterResource as resource } from "./known-clusters.ts";
import { withVersion } from "./shown-cluster.ts";

export function listClusters(context: ClusterNeeds): HandlerOf<"listClusters"> {
  return async ({ server, name }, { user, signal }) => {
    const seen = knownClusters(context)
      .filter((one) => (!server || one.server === server) && (!name || one.name === name))
      .filter((one) => context.rights.allows(user, { resource, action: "get", object: objectOf(one) }));
    return { metadata: {}, items: await Promise.all(seen.map((one) => withVersion(context, one, signal))) };
  };
}
