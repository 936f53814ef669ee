import { applicationSetNotice } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { type ApplicationSet, type ApplicationSetCondition, argoApiVersion } from "@capstan/model";
import type { ObjectStore, StoreChange } from "../loop/object-store.ts";
import { RepeatedWrites } from "../loop/repeated-writes.ts";
import type { StatusNeeds } from "../project/project-status.ts";

/** Until something makes Applications of an ApplicationSet, its status says that nothing does. */
export function tellApplicationSets(sets: ObjectStore<ApplicationSet>, needs: StatusNeeds): void {
  const writes = new RepeatedWrites({ ...needs, failed: "the status of an ApplicationSet is not written" });
  sets.onChange(({ key, current }: StoreChange<ApplicationSet>) => {
    if (!current) return;
    writes.ask(key, async () => {
      const newest = sets.get(key);
      if (newest) await tell(newest, needs);
    });
  });
}

async function tell(set: ApplicationSet, { client, clock, log, signal }: StatusNeeds): Promise<void> {
  const { name, namespace } = set.metadata;
  const before = set.status?.conditions ?? [];
  if (before.some(({ message }) => message === applicationSetNotice)) return;
  const told: ApplicationSetCondition = {
    type: "NotHonoured",
    status: "True",
    reason: "NotHonoured",
    message: applicationSetNotice,
    lastTransitionTime: formatTime(clock.now()),
  };
  const conditions = [...before.filter(({ type }) => type !== told.type), told];
  const ref = {
    apiVersion: argoApiVersion,
    kind: "ApplicationSet",
    name,
    ...(namespace ? { namespace } : {}),
  };
  const body = { status: { conditions } };
  log.warn({ applicationSet: name }, applicationSetNotice);
  await client.patch(ref, { type: "merge", body }, { signal, subresource: "status" });
}
