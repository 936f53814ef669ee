import type { Manifest } from "@capstan/model";
import { changeSecret, fetchStored } from "../repository/labelled-secrets.ts";
import { type ClusterNeeds, type KnownCluster, secretOf } from "./known-clusters.ts";

/** The Secret of a cluster as it is now; the cluster that Capstan runs on may have none. */
export async function fetchClusterSecret(
  context: ClusterNeeds,
  cluster: KnownCluster,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const stored = secretOf(cluster);
  const what = `cluster "${cluster.server}"`;
  return stored && (await fetchStored(context, stored, { what, signal }));
}

/** Labels and annotations are those of the cluster and no others (util/db clusterToSecret). */
export async function keepCluster(
  { kube }: ClusterNeeds,
  changed: Manifest,
  { before, signal }: { before: Manifest | undefined; signal: AbortSignal },
): Promise<void> {
  if (!before) await kube.create(changed, { signal });
  else await changeSecret({ kube }, before, { changed, signal });
}
