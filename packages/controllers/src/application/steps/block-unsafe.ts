import { type Blocker, blockersOf } from "@capstan/engine";
import { type AppProject, CapstanError } from "@capstan/model";
import type { Step } from "../../loop/outcome.ts";
import { type ApplicationRun, draftedApp, setConditions } from "../application-run.ts";

/** Says what is set for the application and would be unsafe to ignore; the condition keeps it from being synced. */
export const blockUnsafe: Step<ApplicationRun> = async (run) => {
  const { project, needs, key, draft } = run;
  if (!project) return "continue";
  const blockers = findBlockers(run, project);
  const before = new Set((draft.status.conditions ?? []).map(({ message }) => message));
  for (const { message } of blockers)
    if (!before.has(message))
      needs.log.warn({ app: key, problem: message }, "not honoured, and unsafe to ignore");
  setConditions(
    run,
    ["NotHonouredError"],
    blockers.map(({ message }) => ({ type: "NotHonouredError", message })),
  );
  return "continue";
};

/** Throws while the objects of an application may not be deleted with it. */
export function refuseDeletion(run: ApplicationRun, project: AppProject): void {
  const held = findBlockers(run, project).filter(({ holdsDeletion }) => holdsDeletion);
  if (held.length === 0) return;
  const problem = held.map(({ message }) => message).join("; ");
  throw new CapstanError({ code: "FAILED_PRECONDITION", what: "the deletion of its objects", problem });
}

function findBlockers(run: ApplicationRun, project: AppProject): Blocker[] {
  const { needs } = run;
  const { general, unreadable, clusters } = needs.settings.current;
  const secret = clusters.find(({ server }) => server === run.cluster?.server);
  const { impersonation, globalProjects } = general;
  return blockersOf({
    app: draftedApp(run),
    project,
    projectOf: (name) => needs.projects.get(`${needs.controlNamespace}/${name}`),
    settings: { impersonation, globalProjects, unreadable },
    ...(secret ? { clusterMarks: secret.annotations } : {}),
  });
}
