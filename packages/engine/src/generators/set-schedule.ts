import { type ApplicationSet, allGenerators, gitGeneratorsOf } from "@capstan/model";
import type { SetPolicy } from "./plan-applications.ts";

/** When a set is looked at again by itself: at the shortest time that one of its generators has; undefined: never. */
export function requeueAfterMs(set: ApplicationSet, defaultMs: number): number | undefined {
  const times = gitGeneratorsOf(set).map(({ requeueAfterSeconds: seconds }) =>
    seconds === undefined ? defaultMs : seconds * 1000,
  );
  const wanted = times.filter((ms) => ms > 0);
  return wanted.length === 0 ? undefined : Math.min(...wanted);
}

/** Whether what it makes hangs on the clusters that are known. */
export function usesClusters(set: ApplicationSet): boolean {
  return allGenerators(set).some(({ clusters }) => clusters !== undefined);
}

interface PolicySettings {
  /** `applicationsetcontroller.policy`; "" lets each set decide. */
  readonly policy: string;
  /** `applicationsetcontroller.enable.policy.override`; undefined: only where there is no policy. */
  readonly mayOverride: boolean | undefined;
}

/** applicationset/utils DefaultPolicy. */
export function readSetPolicy({ spec }: ApplicationSet, { policy, mayOverride }: PolicySettings): SetPolicy {
  const own = spec.syncPolicy?.applicationsSync;
  const counts = mayOverride ?? policy === "";
  const name = own !== undefined && counts ? own : policy === "" ? "sync" : policy;
  return {
    mayUpdate: name === "sync" || name === "create-update",
    mayDelete: name === "sync" || name === "create-delete",
  };
}
