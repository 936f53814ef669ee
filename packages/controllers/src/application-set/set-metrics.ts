import type { LiveState, Settings } from "@capstan/kube";
import { isLiveSet } from "@capstan/model";
import { ownedBy } from "@capstan/planning";
import { Gauge, Histogram, type Registry } from "prom-client";
import { chosenLabels, listedIn } from "../loop/chosen-labels.ts";

const group = "argoproj.io";
const labels = ["namespace", "name"] as const;

/** Names and labels of Argo CD (applicationset/metrics/metrics.go). Returns who is told of each look at a set. */
export function createSetMetrics(
  registry: Registry,
  { live, params }: { live: Pick<LiveState, "ofKind" | "children">; params: () => Settings["params"] },
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
  const collectLabels = chosenLabels(registry, {
    name: "argocd_appset_labels",
    help: "Applicationset labels translated to Prometheus labels",
    of: labels,
    keys: () => listedIn(params()["capstan.metrics.applicationset.labels"]),
    rows: () => sets().map((set) => ({ of: nameOf(set), labels: set.metadata.labels ?? {} })),
  });
  new Gauge({
    name: "argocd_appset_info",
    help: "Information about applicationset",
    labelNames: [...labels, "resource_update_status"],
    registers,
    collect() {
      collectLabels();
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
