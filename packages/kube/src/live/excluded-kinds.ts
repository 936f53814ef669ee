/**
 * Kinds that change all the time and belong to nobody: never watched, never managed.
 * Source: gitops-engine pkg/utils/kube ResourcesFilter and argocd util/settings coreExclusions.
 */
export function isAlwaysExcluded({ group, kind }: { group: string; kind: string }): boolean {
  if (group === "events.k8s.io" || group === "metrics.k8s.io") return true;
  if (group === "") return kind === "Event";
  return group === "coordination.k8s.io" && kind === "Lease";
}
