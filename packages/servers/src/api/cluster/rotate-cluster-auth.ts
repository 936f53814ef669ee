import { rotateServiceAccountToken } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { askVersion } from "./ask-version.ts";
import { clusterSecret, readStored } from "./cluster-secret.ts";
import { fetchClusterSecret, keepCluster } from "./kept-cluster.ts";
import { type ClusterNeeds, findCluster } from "./known-clusters.ts";

/** A new token of the same service account takes the place of the one that a cluster is reached with (server/cluster RotateAuth). */
export function rotateClusterAuth(context: ClusterNeeds): HandlerOf<"rotateClusterAuth"> {
  return async (asked, { user, signal }) => {
    const { clusters, clock } = context;
    const found = findCluster(context, { asked, user, action: "update" });
    const before = await fetchClusterSecret(context, found, signal);
    const token = found.config?.bearerToken;
    if (!before || !found.config || token === undefined)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "cluster",
        problem: `Cluster '${found.server}' does not use bearer token authentication`,
      });
    await clusters.ask(found.config, async (client) => {
      await using rotation = await rotateServiceAccountToken({ client, token, clock, signal });
      const stored = readStored(found, before);
      const { certData: _c, keyData: _k, ...tlsClientConfig } = stored.config?.tlsClientConfig ?? {};
      const config = { ...stored.config, tlsClientConfig, bearerToken: rotation.token };
      const changed = clusterSecret({ ...stored, config }, context.controlNamespace);
      // Tried before it is kept.
      await askVersion(context, changed, signal);
      await keepCluster(context, changed, { before, signal });
      await rotation.retireOld();
    });
    return {};
  };
}
