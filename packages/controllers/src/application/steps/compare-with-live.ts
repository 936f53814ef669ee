import { hookTypesOf } from "@capstan/engine";
import {
  type ApplicationConditionType,
  finalizers,
  formatTime,
  hasMultipleSources,
  revisionFields,
  sourcesOf,
} from "@capstan/model";
import { compareLive, type LiveComparison } from "@capstan/planning";
import type { Step } from "../../loop/outcome.ts";
import { type ApplicationRun, draftedApp, setConditions } from "../application-run.ts";

import { comparisonFailed } from "./render-sources.ts";

const evaluated: readonly ApplicationConditionType[] = [
  "ComparisonError",
  "SharedResourceWarning",
  "RepeatedResourceWarning",
  "ExcludedResourceWarning",
  "UnreadableResourceWarning",
];

/** Compares what git says with what is there, and drafts the sync status. */
export const compareWithLive: Step<ApplicationRun> = async (run, signal) => {
  const { due, memory, tenant, needs, draft } = run;
  const { desired } = memory;
  if (!due || !tenant || !desired) return "continue";
  let comparison: LiveComparison;
  try {
    comparison = await compareLive(
      needs,
      { app: draftedApp(run), cluster: tenant, desired, memory: memory.comparisons },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    return comparisonFailed(run, error, sourcesOf(draft));
  }
  memory.comparison = comparison;
  memory.failures = 0;
  memory.lacksPlugin = false;
  setConditions(run, evaluated, comparison.conditions);
  draftSyncStatus(run, comparison);
  holdForDeleteHooks(run, comparison);
  return "continue";
};

function draftSyncStatus(run: ApplicationRun, comparison: LiveComparison): void {
  const { memory, draft, needs, due } = run;
  const { spec, status } = draft;
  const { desired } = memory;
  if (!desired) return;
  const multiple = hasMultipleSources(spec);
  const [source] = desired.sources;
  status.sync = {
    status: comparison.status,
    ...revisionFields(spec, desired.revisions),
    comparedTo: {
      ...(multiple ? { sources: [...desired.sources] } : source && { source }),
      destination: spec.destination,
      ...(spec.ignoreDifferences ? { ignoreDifferences: spec.ignoreDifferences } : {}),
    },
  };
  // Health of single resources is in the tree that is made from the live state: resourceHealthSource appTree.
  status.resources = comparison.resources.map(({ status: { health: _, ...resource } }) => resource);
  status.resourceHealthSource = "appTree";
  status.controllerNamespace = needs.controlNamespace;
  draftSourceTypes(run, desired.sourceTypes);
  memory.comparedSpec = spec;
  const isFirst = status.reconciledAt === undefined;
  if (isFirst || (due && due.level > 1)) status.reconciledAt = formatTime(run.startedAt);
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
