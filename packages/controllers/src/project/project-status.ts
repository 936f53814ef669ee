import { projectNotices } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { equalJson, formatTime } from "@capstan/formats";
import type { KubeClient, KubeLog } from "@capstan/kube";
import { type ApplicationCondition, type AppProject, argoApiVersion, mergeConditions } from "@capstan/model";
import type { ObjectStore, StoreChange } from "../loop/object-store.ts";
import { RepeatedWrites } from "../loop/repeated-writes.ts";

export interface StatusNeeds {
  client: KubeClient;
  clock: Clock;
  log: KubeLog;
  signal: AbortSignal;
}

const type = "NotHonoured";

/** A project says in its status what it sets in vain. */
export function tellProjects(projects: ObjectStore<AppProject>, needs: StatusNeeds): void {
  // A cluster whose CRD has no conditions drops them: what was said is not said again.
  const said = new Map<string, string>();
  const writes = new RepeatedWrites({ ...needs, failed: "the status of a project is not written" });
  projects.onChange(({ key, current }: StoreChange<AppProject>) => {
    if (!current) said.delete(key);
    else if (hasNews(current, said, key))
      writes.ask(key, async () => {
        const newest = projects.get(key);
        if (newest) await tell(newest, needs);
      });
  });
}

function hasNews(project: AppProject, said: Map<string, string>, key: string): boolean {
  const wanted = projectNotices(project).join("\n");
  const before = said.get(key);
  said.set(key, wanted);
  const shown = (project.status?.conditions ?? [])
    .filter((one) => one.type === type)
    .map(({ message }) => message);
  return before !== wanted && shown.join("\n") !== wanted;
}

async function tell(project: AppProject, { client, clock, log, signal }: StatusNeeds): Promise<void> {
  const { name, namespace } = project.metadata;
  const lastTransitionTime = formatTime(clock.now());
  const found = projectNotices(project).map(
    (message): ApplicationCondition => ({ type, message, lastTransitionTime }),
  );
  const before = project.status?.conditions ?? [];
  const conditions = mergeConditions(before, found, new Set([type]));
  if (equalJson(before, conditions)) return;
  if (found.length > 0)
    log.warn(
      { project: name, notHonoured: found.map(({ message }) => message) },
      "settings that are not honoured",
    );
  const ref = { apiVersion: argoApiVersion, kind: "AppProject", name, ...(namespace ? { namespace } : {}) };
  await client.patch(ref, { type: "merge", body: { status: { conditions } } }, { signal });
}
