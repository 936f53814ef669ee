import { type Blocker, blockersOf } from "@capstan/engine";
import { CapstanError } from "@capstan/model";
import { draftedApp, type LoadedRun, setConditions } from "../application-run.ts";

/** Says what is set for the application and would be unsafe to ignore; the condition keeps it from being synced. */
export function blockUnsafe(loaded: LoadedRun): void {
  const { run } = loaded;
  const { needs, key, draft } = run;
  const blockers = findBlockers(loaded);
  const before = new Set((draft.status.conditions ?? []).map(({ message }) => message));
  for (const { message } of blockers)
    if (!before.has(message))
      needs.log.warn({ app: key, problem: message }, "not honoured, and unsafe to ignore");
  setConditions(
    run,
    ["NotHonouredError"],
    blockers.map(({ message }) => ({ type: "NotHonouredError", message })),
  );
}

/** Throws while the objects of an application may not be deleted with it. */
export function refuseDeletion(loaded: LoadedRun): void {
  const held = findBlockers(loaded).filter(({ holdsDeletion }) => holdsDeletion);
  if (held.length === 0) return;
  const problem = held.map(({ message }) => message).join("; ");
  throw new CapstanError({ code: "FAILED_PRECONDITION", what: "the deletion of its objects", problem });
}

function findBlockers({ run, project, cluster }: LoadedRun): Blocker[] {
  const { needs } = run;
  const { unreadable, clusters } = needs.settings.current;
  const secret = clusters.find(({ server }) => server === cluster.server);
  return blockersOf({
    app: draftedApp(run),
    project,
    settings: { unreadable },
    ...(secret ? { clusterMarks: secret.annotations } : {}),
  });
}
