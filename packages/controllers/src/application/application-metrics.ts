import { type Application, isAutomated, projectOf, sourcesOf, withoutUserinfo } from "@capstan/model";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface ApplicationMetrics {
  reconciled(app: Application, ms: number): void;
  synced(app: Application, phase: string, dryRun: boolean): void;
  applied(app: Application): void;
}

const labels = ["namespace", "name", "project"] as const;

/** Names and labels of Argo CD (controller/metrics/metrics.go), so that its dashboards work. */
export function createApplicationMetrics(
  registry: Registry,
  apps: { all(): Iterable<Application>; orphansOf(app: Application): number },
): ApplicationMetrics {
  const registers = [registry];
  const reconcile = new Histogram({
    name: "argocd_app_reconcile",
    help: "Application reconciliation performance in seconds.",
    labelNames: ["namespace", "dest_server"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
    registers,
  });
  const sync = new Counter({
    name: "argocd_app_sync_total",
    help: "Number of application syncs.",
    labelNames: [...labels, "dest_server", "phase", "dry_run"],
    registers,
  });
  const requests = new Counter({
    name: "argocd_app_k8s_request_total",
    help: "Number of kubernetes requests executed during application reconciliation.",
    labelNames: [...labels, "server"],
    registers,
  });
  const info = new Gauge({
    name: "argocd_app_info",
    help: "Information about application.",
    labelNames: [...labels, ...infoLabels],
    registers,
    collect() {
      this.reset();
      for (const app of apps.all()) this.set({ ...nameLabels(app), ...infoOf(app) }, 1);
    },
  });
  const orphans = new Gauge({
    name: "argocd_app_orphaned_resources_count",
    help: "Number of orphaned resources per application",
    labelNames: labels,
    registers,
    collect() {
      this.reset();
      for (const app of apps.all()) this.set(nameLabels(app), apps.orphansOf(app));
    },
  });
  void [info, orphans];
  return {
    reconciled: (app, ms) =>
      reconcile.observe({ namespace: app.metadata.namespace ?? "", dest_server: serverOf(app) }, ms / 1000),
    synced: (app, phase, dryRun) =>
      sync.inc({ ...nameLabels(app), dest_server: serverOf(app), phase, dry_run: String(dryRun) }),
    applied: (app) => requests.inc({ ...nameLabels(app), server: serverOf(app) }),
  };
}

const infoLabels = [
  "autosync_enabled",
  "repo",
  "dest_server",
  "dest_namespace",
  "sync_status",
  "health_status",
  "operation",
] as const;

function nameLabels(app: Application): Record<(typeof labels)[number], string> {
  return { namespace: app.metadata.namespace ?? "", name: app.metadata.name, project: projectOf(app) };
}

function serverOf({ spec }: Application): string {
  return withoutUserinfo(spec.destination.server ?? "") || (spec.destination.name ?? "");
}

function infoOf(app: Application): Record<(typeof infoLabels)[number], string> {
  return {
    autosync_enabled: String(isAutomated(app)),
    repo: withoutUserinfo(sourcesOf(app)[0]?.repoURL ?? ""),
    dest_server: serverOf(app),
    dest_namespace: app.spec.destination.namespace ?? "",
    sync_status: app.status?.sync?.status ?? "Unknown",
    health_status: app.status?.health?.status ?? "Unknown",
    operation: operationOf(app),
  };
}

function operationOf(app: Application): string {
  if (app.metadata.deletionTimestamp !== undefined) return "delete";
  return app.operation?.sync === undefined ? "" : "sync";
}
