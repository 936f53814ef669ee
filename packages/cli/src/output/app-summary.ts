import {
  type Application,
  type ApplicationSource,
  hasMultipleSources,
  isAutomated,
  sourcesOf,
} from "@capstan/model";
import type { ApplicationSyncWindows } from "@capstan/wire";
import { qualifiedName } from "./app-rows.ts";
import { type Paint, paintState } from "./paint.ts";
import { formatTable } from "./table.ts";

const line = (label: string, value: string): string => `${`${label}:`.padEnd(20)}${value}\n`;
const indented = (label: string, value: string): string => `${`  ${label}:`.padEnd(20)}${value}\n`;

interface SummaryFacts {
  paint: Paint;
  /** Address of the page. */
  url: string;
  windows: ApplicationSyncWindows;
}

/** cmd/argocd/commands/app.go printAppSummaryTable. */
export function appSummary(app: Application, { paint, url, windows }: SummaryFacts): string {
  const { spec, status } = app;
  const sources = sourcesOf(app);
  return [
    line("Name", qualifiedName(app)),
    line("Project", spec.project || "default"),
    line("Server", spec.destination.server || spec.destination.name || ""),
    line("Namespace", spec.destination.namespace ?? ""),
    line("URL", `${url}/applications/${app.metadata.namespace ?? ""}/${app.metadata.name}`),
    `${sources.length > 1 ? "Sources" : "Source"}:\n`,
    ...sources.map(describeSource),
    line("SyncWindow", describeWindows(windows)),
    line("Sync Policy", describePolicy(app)),
    line("Sync Status", describeSync(app, paint)),
    line("Health Status", describeHealth(status?.health, paint)),
  ].join("");
}

/** By hand it may be allowed while the automation waits (app.go printAppSummaryTable). */
function describeWindows({ canSync, activeWindows, assignedWindows }: ApplicationSyncWindows): string {
  const isOpen = activeWindows.some(({ kind }) => kind === "allow");
  const isDenied = activeWindows.some(({ kind }) => kind === "deny");
  const waits = isDenied || (!isOpen && assignedWindows.some(({ kind }) => kind === "allow"));
  if (!canSync) return "Sync Denied";
  return waits ? "Manual Allowed" : "Sync Allowed";
}

function describeSource({ repoURL, targetRevision, path, chart, ref, helm }: ApplicationSource): string {
  const parts = [`${"- Repo:".padEnd(20)}${repoURL}\n`, indented("Target", targetRevision ?? "")];
  if (path) parts.push(indented("Path", path));
  if (chart) parts.push(indented("Chart", chart));
  if (ref) parts.push(indented("Ref", ref));
  if (helm?.valueFiles?.length) parts.push(indented("Helm Values", helm.valueFiles.join(",")));
  return parts.join("");
}

function describePolicy(app: Application): string {
  if (!isAutomated(app)) return "Manual";
  return app.spec.syncPolicy?.automated?.prune ? "Automated (Prune)" : "Automated";
}

function describeSync({ spec, status }: Application, paint: Paint): string {
  const sync = status?.sync;
  const state = sync?.status ?? "Unknown";
  const word = { Synced: " to", OutOfSync: " from", Unknown: "" }[state];
  if (word === "" || hasMultipleSources(spec)) return paintState(paint, state);
  const target = spec.source?.targetRevision ?? "";
  const revision = sync?.revision ?? "";
  const isPinned = /^[0-9a-f]{7,40}$/.test(target);
  const commit = !isPinned && revision.length > 7 ? ` (${revision.slice(0, 7)})` : "";
  return `${paintState(paint, state)}${word} ${target}${commit}`;
}

function describeHealth(health: { status?: string; message?: string } | undefined, paint: Paint): string {
  const state = paintState(paint, health?.status ?? "Unknown");
  return health?.message ? `${state} (${health.message})` : state;
}

/** printOperationResult. */
export function operationSummary({ status }: Application, paint: Paint): string {
  const state = status?.operationState;
  if (!state) return "";
  const { startedAt, finishedAt } = state;
  const end = finishedAt ? Date.parse(finishedAt) : undefined;
  const seconds =
    end === undefined ? undefined : Math.max(0, Math.round((end - Date.parse(startedAt)) / 1000));
  return [
    line("Operation", "Sync"),
    line("Sync Revision", state.syncResult?.revision ?? state.syncResult?.revisions?.join(",") ?? ""),
    line("Phase", paintState(paint, state.phase)),
    line("Start", goTime(startedAt)),
    ...(finishedAt ? [line("Finished", goTime(finishedAt))] : []),
    ...(seconds === undefined ? [] : [line("Duration", `${seconds}s`)]),
    ...(state.message ? [line("Message", state.message)] : []),
  ].join("");
}

/** 2026-01-02 03:04:05 +0000 UTC, as Go prints a time. */
export function goTime(rfc3339: string): string {
  const ms = Date.parse(rfc3339);
  return Number.isNaN(ms)
    ? rfc3339
    : `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
}

export function conditionTable({ status }: Application): string {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return "";
  const rows = conditions.map(({ type, message, lastTransitionTime }) => [
    type,
    message,
    lastTransitionTime ? goTime(lastTransitionTime) : "<nil>",
  ]);
  return `\n${formatTable([["CONDITION", "MESSAGE", "LAST TRANSITION"], ...rows])}`;
}

export interface ResourceState {
  group: string;
  kind: string;
  namespace: string;
  name: string;
  status: string;
  health: string;
  hook: string;
  message: string;
}

/** What the last operation did and what is there now, in one list (getResourceStates). */
export function resourceStates({ status }: Application): ResourceState[] {
  const states = new Map<string, ResourceState>();
  const id = (one: { group?: string; kind?: string; namespace?: string; name?: string }): string =>
    [one.group ?? "", one.kind, one.namespace ?? "", one.name].join("/");
  for (const result of status?.operationState?.syncResult?.resources ?? []) {
    const { group, kind, namespace, name, message = "" } = result;
    const state = result.hookPhase && result.hookType ? result.hookPhase : (result.status ?? "");
    states.set(id(result), {
      group,
      kind,
      namespace,
      name,
      status: state,
      health: "",
      hook: result.hookType ?? "",
      message,
    });
  }
  for (const resource of status?.resources ?? []) {
    const known = states.get(id(resource));
    const { group = "", kind = "", namespace = "", name = "" } = resource;
    states.set(id(resource), {
      group,
      kind,
      namespace,
      name,
      status: resource.status ?? known?.status ?? "",
      health: resource.health?.status ?? "",
      hook: known?.hook ?? "",
      message: known?.message ?? (resource.requiresPruning ? "ignored (requires pruning)" : ""),
    });
  }
  return [...states.values()];
}

export const resourceHeader = [
  "GROUP",
  "KIND",
  "NAMESPACE",
  "NAME",
  "STATUS",
  "HEALTH",
  "HOOK",
  "MESSAGE",
] as const;

export function resourceTable(app: Application, paint: Paint): string {
  const states = resourceStates(app);
  if (states.length === 0) return "";
  const rows = states.map(({ group, kind, namespace, name, status, health, hook, message }) => [
    group,
    kind,
    namespace,
    name,
    paintState(paint, status),
    paintState(paint, health),
    hook,
    message,
  ]);
  return `\n${formatTable([[...resourceHeader], ...rows])}`;
}
