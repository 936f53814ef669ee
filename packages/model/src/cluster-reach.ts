/** What of a cluster is looked after, where its Secret names namespaces. */
export interface ClusterReach {
  readonly namespaces: readonly string[];
  /** Objects without a namespace too. */
  readonly clusterResources: boolean;
}
