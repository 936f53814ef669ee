import { type Application, type ApplicationCondition, isAutomated, sourcesOf } from "@capstan/model";
import { type Paint, paintState } from "./paint.ts";
import { formatList } from "./table.ts";

const header = [
  "NAME",
  "CLUSTER",
  "NAMESPACE",
  "PROJECT",
  "STATUS",
  "HEALTH",
  "SYNCPOLICY",
  "CONDITIONS",
  "REPO",
  "PATH",
  "TARGET",
];

export function qualifiedName({ metadata }: Application): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

/** cmd/argocd/commands/app.go printApplicationTable, of its wide format. */
export function appTable(apps: readonly Application[], paint: Paint, room?: number): string {
  return formatList([header, ...apps.map((app) => row(app, paint))], room);
}

function row(app: Application, paint: Paint): string[] {
  const { spec, status } = app;
  const [source] = sourcesOf(app);
  return [
    qualifiedName(app),
    spec.destination.server || spec.destination.name || "",
    spec.destination.namespace ?? "",
    spec.project || "default",
    paintState(paint, status?.sync?.status ?? "Unknown"),
    paintState(paint, status?.health?.status ?? "Unknown"),
    syncPolicy(app),
    conditionSummary(status?.conditions ?? []),
    source?.repoURL ?? "",
    source?.path ?? "",
    source?.targetRevision ?? "",
  ];
}

export function syncPolicy(app: Application): string {
  if (!isAutomated(app)) return "Manual";
  return app.spec.syncPolicy?.automated?.prune ? "Auto-Prune" : "Auto";
}

function conditionSummary(conditions: readonly ApplicationCondition[]): string {
  if (conditions.length === 0) return "<none>";
  const counts = new Map<string, number>();
  for (const { type } of conditions) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count > 1 ? `${type}(${count})` : type)).join(",");
}
