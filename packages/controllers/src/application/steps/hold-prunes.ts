import { judgePruning } from "@capstan/planning";
import { type ComparedRun, draftedApp, type JudgedRun, setConditions } from "../application-run.ts";

/** Says whether a sync would prune more than it may, and with which command that is allowed. */
export function holdPrunes(compared: ComparedRun): JudgedRun {
  const { run, project, comparison } = compared;
  const app = draftedApp(run);
  const prunes = judgePruning(run.needs, { app, project, comparison, nowMs: run.startedAt });
  const found =
    prunes.kind === "held" ? [{ type: "PruneHeldWarning" as const, message: prunes.message }] : [];
  setConditions(run, ["PruneHeldWarning"], found);
  return { ...compared, prunes };
}
