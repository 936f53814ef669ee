import { hookTypesOf } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import {
  type ApplicationConditionType,
  finalizers,
  hasMultipleSources,
  revisionFields,
} from "@capstan/model";
import { compareLive, type Desired, type LiveComparison } from "@capstan/planning";
import {
  type ApplicationRun,
  type ComparedRun,
  comparedTo,
  draftedApp,
  type RenderedRun,
  setConditions,
} from "../application-run.ts";
import type { DueCompare } from "../comparison-schedule.ts";

const evaluated: readonly ApplicationConditionType[] = [
  "ComparisonError",
  "InvalidSpecError",
  "SharedResourceWarning",
  "RepeatedResourceWarning",
  "ExcludedResourceWarning",
  "UnreadableResourceWarning",
];

/** Compares what git says with what is there, and drafts the sync status. */
export async function compareWithLive(rendered: RenderedRun, signal: AbortSignal): Promise<ComparedRun> {
  const { run, tenant, desired, compare } = rendered;
  const { memory, needs } = run;
  const urgency = urgencyOf(compare);
  const input = { app: draftedApp(run), cluster: tenant, desired, memory: memory.comparisons, urgency };
  const comparison = await compareLive(needs, input, signal);
  const compared = { ...rendered, comparison };
  memory.comparison = comparison;
  memory.comparedManifests = desired.unverified.length === 0 ? desired.manifests : undefined;
  memory.failures = 0;
  memory.lacksPlugin = false;
  const unverified = unverifiedConditions(desired);
  setConditions(run, evaluated, [...unverified, ...comparison.conditions]);
  draftSyncStatus(compared);
  holdForDeleteHooks(run, comparison);
  return compared;
}

/** What a server answered to a dry run holds until its object changes, but for who asks for all anew. */
function urgencyOf({ level, hard }: DueCompare): "usual" | "asked" | "anew" {
  if (hard) return "anew";
  return level === 3 ? "asked" : "usual";
}

/**
 * The comparison of before, where nothing is new but the commit, and that gives the same manifests: whatever else it
 * depends on asks for a comparison of its own when it changes.
 */
export function keptComparison(rendered: RenderedRun): ComparedRun | undefined {
  const { run, compare, desired } = rendered;
  const { comparison, comparedManifests } = run.memory;
  const isNew = desired.manifests !== comparedManifests || desired.unverified.length > 0;
  if (!compare.learns || !comparison || isNew || run.app.status?.sync === undefined) return undefined;
  run.isAsCompared = true;
  const compared = { ...rendered, comparison };
  draftSyncStatus(compared);
  return compared;
}

/** They are compared all the same, and keep a sync from starting (controller/state.go CompareAppState). */
function unverifiedConditions({ unverified }: Desired): { type: "ComparisonError"; message: string }[] {
  return unverified.length === 0 ? [] : [{ type: "ComparisonError", message: unverified.join("\n") }];
}

function draftSyncStatus({ run, compare, desired, comparison }: ComparedRun): void {
  const { memory, draft, needs } = run;
  const { spec, status } = draft;
  status.sync = {
    status: comparison.status,
    ...revisionFields(spec, desired.revisions),
    comparedTo: comparedTo(draft, desired.sources),
  };
  // Health of single resources is in the tree that is made from the live state: resourceHealthSource appTree.
  status.resources = comparison.resources.map(({ status: { health: _, ...resource } }) => resource);
  status.resourceHealthSource = "appTree";
  status.controllerNamespace = needs.controlNamespace;
  if (desired.broughtAt === undefined) draftSourceTypes(run, desired.sourceTypes);
  memory.comparedSpec = spec;
  draftReconciledAt(run, compare);
}

function draftReconciledAt(run: ApplicationRun, { level }: DueCompare): void {
  const { status } = run.draft;
  const begun = formatTime(run.startedAt);
  if (isOlder(status.reconciledAt, status.operationState?.finishedAt)) {
    // The sync may have ended in this very run.
    status.reconciledAt = formatTime(run.needs.clock.now());
    delete run.reconciledAt;
  } else if (level === 3) status.reconciledAt = begun;
  else if (level === 2) run.reconciledAt = begun;
}

/** Times as formatTime writes them. */
function isOlder(time: string | undefined, other = ""): boolean {
  return time === undefined || time < other;
}

function draftSourceTypes({ draft }: ApplicationRun, sourceTypes: readonly string[]): void {
  const { spec, status } = draft;
  delete status.sourceType;
  delete status.sourceTypes;
  const [first] = sourceTypes;
  if (hasMultipleSources(spec)) status.sourceTypes = [...sourceTypes];
  else if (first !== undefined) status.sourceType = first;
}

/** Hooks of the deletion can only run when the deletion waits for them (controller/state.go). */
function holdForDeleteHooks({ draft }: ApplicationRun, { hooks }: LiveComparison): void {
  const wanted = new Set(draft.finalizers);
  for (const hook of hooks) {
    const types = hookTypesOf(hook);
    if (types.has("PreDelete")) wanted.add(finalizers.preDelete).add(finalizers.preDeleteCleanup);
    if (types.has("PostDelete")) wanted.add(finalizers.postDelete).add(finalizers.postDeleteCleanup);
  }
  draft.finalizers = [...wanted];
}
