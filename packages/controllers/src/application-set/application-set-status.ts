import { applicationSetNotice } from "@capstan/engine";
import { isNotFound } from "@capstan/kube";
import {
  type ApplicationSet,
  type ApplicationSetCondition,
  argoApiVersion,
  formatTime,
  messageOf,
} from "@capstan/model";
import type { ObjectStore, StoreChange } from "../loop/object-store.ts";
import type { StatusNeeds } from "../project/project-status.ts";

/** Until something makes Applications of an ApplicationSet, its status says that nothing does. */
export function tellApplicationSets(sets: ObjectStore<ApplicationSet>, needs: StatusNeeds): void {
  sets.onChange(({ current }: StoreChange<ApplicationSet>) => {
    if (current) void tell(current, needs);
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
  try {
    await client.patch(ref, { type: "merge", body }, { signal, subresource: "status" });
  } catch (error) {
    if (signal.aborted || isNotFound(error)) return;
    log.warn(
      { applicationSet: name, problem: messageOf(error) },
      "the status of an ApplicationSet is not written",
    );
  }
}
