import { judgePrunes, prunable, type RemovalVerdict } from "@capstan/engine";
import { type Application, type AppProject, pruneBudgetOf, readSyncOptions } from "@capstan/model";
import type { LiveComparison } from "./compare-live.ts";
import { digestOf } from "./digest-of.ts";
import type { PlanningNeeds } from "./planning-needs.ts";

interface PruningInput {
  app: Application;
  project: AppProject;
  comparison: LiveComparison;
  nowMs: number;
}

/** Whether a sync of everything, with the application's own options, would prune more than it may. */
export function judgePruning(
  { settings }: Pick<PlanningNeeds, "settings">,
  { app, project, comparison: { resources }, nowMs }: PruningInput,
): RemovalVerdict {
  return judgePrunes({
    app,
    resources,
    prunes: prunable(resources, readSyncOptions(app.spec.syncPolicy?.syncOptions)),
    budget: pruneBudgetOf(app, project, settings.current.general.pruneBudget),
    nowMs,
    digestOf,
  });
}
