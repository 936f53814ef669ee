import {
  type Application,
  type ApplicationCondition,
  type ApplicationStatus,
  formatKey,
  type Operation,
  projectOf,
  type ResourceStatus,
} from "@capstan/model";
import type { ComparedResource } from "../compare/compare-resources.ts";

/** What stands otherwise in the one than in the other. */
export interface ViewDifference {
  /** sync status, health, condition ComparisonError, object apps/Deployment shop/web. */
  readonly about: string;
  readonly argocd: string;
  readonly capstan: string;
  /** Paths of the fields that Capstan finds different from git. */
  readonly fields?: readonly string[];
}

/** equal: taking over changes nothing. unknown: it could not be told. */
export type ViewVerdict = "equal" | "differs" | "unknown";

/** One application as Argo CD has left it, and as Capstan would have it. */
export interface ComparedViews {
  /** namespace/name */
  readonly application: string;
  readonly project: string;
  readonly verdict: ViewVerdict;
  /** What both were compared at. */
  readonly revisions: readonly string[];
  /** As Argo CD has them. */
  readonly sync: string;
  readonly health: string;
  readonly differences: readonly ViewDifference[];
  /** Why it could not be told, or not of all objects. */
  readonly unknown: readonly string[];
  /** What Capstan says of it and Argo CD has no words for; it differs in nothing by them. */
  readonly notes: readonly string[];
}

export interface CapstanView {
  readonly status: ApplicationStatus;
  /** Undefined where it could not be compared. */
  readonly resources: readonly ComparedResource[] | undefined;
  /** What it could not be compared for where it was looked at: that says nothing of Capstan in its place. */
  readonly lacking: string | undefined;
  /** What it would begin by itself. */
  readonly operation: Operation | undefined;
}

/** Conditions that both know. */
const shared: ReadonlySet<string> = new Set([
  "ComparisonError",
  "InvalidSpecError",
  "UnknownError",
  "SharedResourceWarning",
  "RepeatedResourceWarning",
  "ExcludedResourceWarning",
  "OrphanedResourceWarning",
]);
/** Capstan's own by which it does otherwise. */
const ofWeight: ReadonlySet<string> = new Set([
  "NotHonouredError",
  "PruneHeldWarning",
  "UnreadableResourceWarning",
]);
const noted: ReadonlySet<string> = new Set(["NotHonoured", "RevisionMovedWarning", "DependencyWarning"]);
const nothing = "nothing";

export function compareViews(app: Application, capstan: CapstanView): ComparedViews {
  const { sync, health } = app.status ?? {};
  const isNew = sync?.status === undefined;
  const open = (capstan.resources ?? []).filter(({ diff }) => diff?.isOpen);
  const unknown = [
    ...(isNew ? ["Argo CD has not compared it yet"] : []),
    ...(capstan.lacking === undefined ? [] : [capstan.lacking]),
    ...open.map(({ key }) => `${formatKey(key)}: only a dry run tells whether it differs`),
  ];
  const isTold = !isNew && capstan.lacking === undefined;
  const differences = isTold ? differencesOf(app, capstan, open) : [];
  const conditions = capstan.status.conditions ?? [];
  return {
    application: `${app.metadata.namespace ?? ""}/${app.metadata.name ?? ""}`,
    project: projectOf(app),
    verdict: differences.length > 0 ? "differs" : unknown.length > 0 ? "unknown" : "equal",
    revisions: sync?.revisions ?? (sync?.revision ? [sync.revision] : []),
    sync: sync?.status ?? "",
    health: health?.status ?? "",
    differences,
    unknown,
    notes: conditions.filter(({ type }) => noted.has(type)).map(({ type, message }) => `${type}: ${message}`),
  };
}

function differencesOf(
  app: Application,
  capstan: CapstanView,
  open: readonly ComparedResource[],
): ViewDifference[] {
  const theirs = app.status ?? {};
  const ours = capstan.status;
  const found: ViewDifference[] = [];
  const compare = (about: string, argocd = nothing, own = nothing): void => {
    if (argocd !== own) found.push({ about, argocd, capstan: own });
  };
  // What is open counts as modified; then the sync status is open as well.
  const isOpen =
    open.length > 0 && !(capstan.resources ?? []).some((one) => one.isOutOfSync && !open.includes(one));
  if (!isOpen) compare("sync status", theirs.sync?.status, ours.sync?.status);
  compare("health", theirs.health?.status, ours.health?.status);
  found.push(...conditionDifferences(theirs.conditions ?? [], ours.conditions ?? []));
  if (capstan.resources) found.push(...objectDifferences(theirs, capstan.resources, new Set(open)));
  if (capstan.operation !== undefined && app.operation === undefined && !isOpen) {
    const { prune = false } = capstan.operation.sync ?? {};
    found.push({
      about: "operation",
      argocd: nothing,
      capstan: prune ? "syncs by itself, and prunes" : "syncs by itself",
    });
  }
  return found;
}

function conditionDifferences(
  theirs: readonly ApplicationCondition[],
  ours: readonly ApplicationCondition[],
): ViewDifference[] {
  const types = new Set([...theirs, ...ours].map(({ type }) => type));
  return [...types]
    .filter((type) => shared.has(type) || ofWeight.has(type))
    .flatMap((type) => {
      const [argocd, capstan] = [theirs, ours].map((list) => list.find((one) => one.type === type)?.message);
      // How a failure is told is each one's own.
      if ((argocd === undefined) === (capstan === undefined)) return [];
      return [{ about: `condition ${type}`, argocd: argocd ?? nothing, capstan: capstan ?? nothing }];
    });
}

function objectDifferences(
  theirs: ApplicationStatus,
  ours: readonly ComparedResource[],
  open: ReadonlySet<ComparedResource>,
): ViewDifference[] {
  // Where the health of objects is in the tree, the status does not have it.
  const hasHealth = theirs.resourceHealthSource !== "appTree";
  const left = new Map((theirs.resources ?? []).map((one) => [textOf(one), one]));
  const found: ViewDifference[] = [];
  for (const resource of ours) {
    const { status, diff } = resource;
    const id = textOf(status);
    const argocd = standingOf(left.get(id), hasHealth);
    left.delete(id);
    const capstan = standingOf(status, hasHealth);
    if (argocd === capstan || open.has(resource)) continue;
    const fields = (diff?.fields ?? []).map(({ path }) => path);
    found.push({ about: `object ${id}`, argocd, capstan, ...(fields.length > 0 ? { fields } : {}) });
  }
  for (const [id, one] of left)
    found.push({ about: `object ${id}`, argocd: standingOf(one, hasHealth), capstan: nothing });
  return found;
}

function textOf({ group = "", kind = "", namespace = "", name = "" }: ResourceStatus): string {
  return formatKey({ group, kind, namespace, name });
}

function standingOf(resource: ResourceStatus | undefined, hasHealth: boolean): string {
  if (resource === undefined) return nothing;
  const { status, hook = false, requiresPruning = false, health } = resource;
  const parts = [
    hook ? "a hook" : (status ?? "no status"),
    ...(requiresPruning ? ["to be pruned"] : []),
    ...(hasHealth && health?.status !== undefined ? [health.status] : []),
  ];
  return parts.join(", ");
}
