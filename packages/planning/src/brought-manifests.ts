import { equalJson } from "@capstan/formats";
import { type Application, type AppProject, isAutomated, operationSources, sourcesOf } from "@capstan/model";
import { operationRevisions } from "./plan-operation.ts";
import type { PlanningNeeds } from "./planning-needs.ts";
import { permitsLocalManifests } from "./verify-sources.ts";

export interface BroughtManifests {
  /** When the sync began that brought them: it tells them apart. */
  broughtAt: string;
  /** JSON texts. */
  manifests: readonly string[];
  /** What the sources were at when they came. */
  revisions: readonly string[] | undefined;
}

/**
 * What a person brought with the last sync (`app sync --local`) is what should be there until the next one: git is not
 * what was deployed (controller/appcontroller.go processAppRefreshQueueItem). Here only where that sync went through as
 * a whole, and while neither other sources nor automation say that git counts.
 */
export function broughtManifests(
  needs: Pick<PlanningNeeds, "settings">,
  { app, project }: { app: Application; project: AppProject },
): BroughtManifests | undefined {
  const state = app.status?.operationState;
  const sync = state?.operation.sync;
  const manifests = sync?.manifests ?? [];
  if (!state || manifests.length === 0 || state.phase !== "Succeeded" || app.operation) return undefined;
  if (sync?.dryRun || sync?.resources?.length || isAutomated(app)) return undefined;
  const sources = sourcesOf(app);
  if (!equalJson(operationSources(app, state.operation), sources)) return undefined;
  if (!permitsLocalManifests(needs, { project, sources })) return undefined;
  return { broughtAt: state.startedAt, manifests, revisions: operationRevisions(state) };
}
