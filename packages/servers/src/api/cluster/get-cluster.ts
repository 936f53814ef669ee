import type { HandlerOf } from "../../call.ts";
import { type ClusterNeeds, findCluster } from "./known-clusters.ts";
import { withVersion } from "./shown-cluster.ts";

export function getCluster(context: ClusterNeeds): HandlerOf<"getCluster"> {
  return async (asked, { user, signal }) => {
    const found = findCluster(context, { asked, user, action: "get" });
    return withVersion(context, found, signal);
  };
}
