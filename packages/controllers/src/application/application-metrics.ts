import type { SyncOutcome } from "@capstan/engine";
import {
  type Application,
  isAutomated,
  type OperationState,
  projectOf,
  sourcesOf,
  withoutUserinfo,
} from "@capstan/model";
import { Gauge, Histogram, type Registry } from "prom-client";
import { chosenLabels, listedIn } from "../loop/chosen-labels.ts";
import { OwnedCounter } from "../loop/owned-counter.ts";
import { ReadGauge } from "../loop/read-gauge.ts";

export interface ApplicationMetrics {
  reconciled(app: Application, ms: number): void;
  synced(app: Application, state: OperationState): void;
  applied(app: Application, outcome: SyncOutcome): void;
}

export interface AppsInMetrics {
  all(): Iterable<Application>;
  orphansOf(app: Application): number;
  /** Of its destination, "" where there is no such cluster. */
  serverOf(app: Application): string;
  /** argocd-cmd-params-cm: which labels and conditions are told as well. */
  params(): Readonly<Record<string, string>>;
}

const requestLabels = ["response_code", "verb", "resource_kind", "resource_namespace", "dry_run"] as const;
const labels = ["namespace", "name", "project"] as const;

/** Names and labels of Argo CD (controller/metrics/metrics.go), so that its dashboards work. */
export function createApplicationMetrics(registry: Registry, apps: AppsInMetrics): ApplicationMetrics {
  const registers = [registry];
  const reconcile = new Histogram({
    name: "argocd_app_reconcile",
    help: "Application reconciliation performance in seconds.",
    labelNames: ["namespace", "dest_server"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
    registers,
  });
  const sync = new OwnedCounter({
    name: "argocd_app_sync_total",
    help: "Number of application syncs.",
    ownerNames: labels,
    labelNames: ["dest_server", "phase", "dry_run"],
    registers,
  });
  const syncSeconds = new OwnedCounter({
    name: "argocd_app_sync_duration_seconds_total",
    help: "Application sync performance in seconds total.",
    ownerNames: labels,
    labelNames: ["dest_server"],
    registers,
  });
  const requests = new OwnedCounter({
    name: "argocd_app_k8s_request_total",
    help: "Number of kubernetes requests executed during application reconciliation.",
    ownerNames: labels,
    labelNames: ["server", ...requestLabels],
    registers,
  });
  const info = new ReadGauge({
    name: "argocd_app_info",
    help: "Information about application.",
    labelNames: [...labels, ...infoLabels],
    registers,
    *rows() {
      for (const app of apps.all()) yield { labels: infoOf(app, apps.serverOf(app)), value: 1 };
    },
  });
  const orphans = new ReadGauge({
    name: "argocd_app_orphaned_resources_count",
    help: "Number of orphaned resources per application",
    labelNames: labels,
    registers,
    *rows() {
      for (const app of apps.all()) yield { labels: nameLabels(app), value: apps.orphansOf(app) };
    },
  });
  registerChosen(registry, apps);
  void [info, orphans];
  return {
    reconciled: (app, ms) =>
      reconcile.observe(
        { namespace: app.metadata.namespace ?? "", dest_server: apps.serverOf(app) },
        ms / 1000,
      ),
    synced(app, { phase, operation, startedAt, finishedAt }) {
      const of = nameLabels(app);
      const to = { dest_server: apps.serverOf(app) };
      sync.count(of, { ...to, phase, dry_run: String(operation.sync?.dryRun === true) });
      if (finishedAt === undefined) return;
      const ms = Date.parse(finishedAt) - Date.parse(startedAt);
      syncSeconds.count(of, to, Math.max(0, Math.floor(ms / 1000)));
    },
    applied: (app, outcome) =>
      requests.count(nameLabels(app), { server: apps.serverOf(app), ...requestOf(outcome) }),
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

type NameLabels = Record<(typeof labels)[number], string>;
type InfoLabels = NameLabels & Record<(typeof infoLabels)[number], string>;

// An object is not changed: as long as there is no newer one its labels are the same.
const namesOf = new WeakMap<Application, NameLabels>();
const infosOf = new WeakMap<Application, InfoLabels>();

function nameLabels(app: Application): NameLabels {
  const kept = namesOf.get(app);
  if (kept) return kept;
  const { namespace = "", name } = app.metadata;
  const made = { namespace, name, project: projectOf(app) };
  namesOf.set(app, made);
  return made;
}

/** Of what a step of a sync asked the cluster; how it was answered is known of what went well. */
function requestOf({ action, ok }: SyncOutcome): Record<(typeof requestLabels)[number], string> {
  const { kind, namespace = "" } = "task" in action ? action.task.key : action.key;
  const verb = action.act === "prune" || action.act === "delete-hook" ? "Delete" : "Patch";
  const dryRun = "dryRun" in action && action.dryRun;
  return {
    response_code: ok ? "200" : "",
    verb,
    resource_kind: kind,
    resource_namespace: namespace,
    dry_run: String(dryRun),
  };
}

function infoOf(app: Application, server: string): InfoLabels {
  const kept = infosOf.get(app);
  if (kept?.dest_server === server) return kept;
  const made = {
    ...nameLabels(app),
    autosync_enabled: String(isAutomated(app)),
    repo: withoutUserinfo(sourcesOf(app)[0]?.repoURL ?? ""),
    dest_server: server,
    dest_namespace: app.spec.destination.namespace ?? "",
    sync_status: app.status?.sync?.status ?? "Unknown",
    health_status: app.status?.health?.status ?? "Unknown",
    operation: operationOf(app),
  };
  infosOf.set(app, made);
  return made;
}

function operationOf(app: Application): string {
  if (app.metadata.deletionTimestamp !== undefined) return "delete";
  return app.operation?.sync === undefined ? "" : "sync";
}

/** What the settings ask for: controller.metrics.application.labels and .conditions. */
function registerChosen(registry: Registry, apps: AppsInMetrics): void {
  const collectLabels = chosenLabels(registry, {
    name: "argocd_app_labels",
    help: "Argo Application labels converted to Prometheus labels",
    of: labels,
    keys: () => listedIn(apps.params()["controller.metrics.application.labels"]),
    rows: () => [...apps.all()].map((app) => ({ of: nameLabels(app), labels: app.metadata.labels ?? {} })),
  });
  new Gauge({
    name: "argocd_app_condition",
    help: "Report application conditions.",
    labelNames: [...labels, "condition"],
    registers: [registry],
    collect() {
      collectLabels();
      this.reset();
      const wanted = new Set(listedIn(apps.params()["controller.metrics.application.conditions"]));
      if (wanted.size === 0) return;
      for (const app of apps.all())
        for (const { type } of app.status?.conditions ?? [])
          if (wanted.has(type)) this.inc({ ...nameLabels(app), condition: type });
    },
  });
}
