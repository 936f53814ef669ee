import { type DependencyHold, findDependencyHold } from "@capstan/engine";
import { type Application, projectOf } from "@capstan/model";
import { type ApplicationRun, draftedApp, setConditions } from "./application-run.ts";

/** What keeps a sync from beginning: other applications. The condition says so while it does. */
export function holdForOthers(run: ApplicationRun): DependencyHold | undefined {
  const hold = findDependencyHold(draftedApp(run), run.needs.apps.all());
  run.memory.waitsForOthers = hold !== undefined;
  setConditions(
    run,
    ["DependencyWarning"],
    hold ? [{ type: "DependencyWarning", message: hold.message }] : [],
  );
  return hold;
}

/** No sync waits, so there is nothing to say. */
export function holdsNothing(run: ApplicationRun): void {
  run.memory.waitsForOthers = false;
  setConditions(run, ["DependencyWarning"], []);
}

/** Whether one may depend on the other: those of other projects are as if they were not there. */
export function mayDepend(app: Application | undefined, other: Application | undefined): boolean {
  return app !== undefined && other !== undefined && projectOf(app) === projectOf(other);
}

/** However it goes with the others, they are looked at again. */
export const othersLookMs = 30_000;
