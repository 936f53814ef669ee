import type { LiveState } from "@capstan/kube";
import { isLiveSet } from "@capstan/model";
import { ownedBy } from "@capstan/planning";
import { Gauge, Histogram, type Registry } from "prom-client";

const group = "argoproj.io";
const labels = ["namespace", "name"] as const;

/** Names and labels of Argo CD (applicationset/metrics/metrics.go). Returns who is told of each look at a set. */
export function createSetMetrics(
  registry: Registry,
  live: Pick<LiveState, "ofKind" | "children">,
): (set: { namespace: string; name: string }, ms: number) => void {
  const registers = [registry];
  const nameOf = ({
    metadata,
  }: {
    metadata: { namespace?: string | undefined; name?: string | undefined };
  }) => ({
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
  });
  const sets = () => live.ofKind(group, "ApplicationSet").filter(isLiveSet);
  const reconcile = new Histogram({
    name: "argocd_appset_reconcile",
    help: "Application reconciliation performance in seconds.",
    labelNames: labels,
    registers,
  });
  new Gauge({
    name: "argocd_appset_info",
    help: "Information about applicationset",
    labelNames: [...labels, "resource_update_status"],
    registers,
    collect() {
      this.reset();
      for (const set of sets()) {
        const updated = set.status?.conditions?.find(({ type }) => type === "ResourcesUpToDate");
        const status = updated?.reason ?? "Unknown";
        this.set({ ...nameOf(set), resource_update_status: status }, 1);
      }
    },
  });
  new Gauge({
    name: "argocd_appset_owned_applications",
    help: "Number of applications owned by the applicationset",
    labelNames: labels,
    registers,
    collect() {
      this.reset();
      for (const set of sets()) this.set(nameOf(set), ownedBy(live, set).length);
    },
  });
  return (set, ms) => reconcile.observe(set, ms / 1000);
}
