import { type ApplicationSet, allGenerators } from "@capstan/model";
import type { SetPolicy } from "./plan-applications.ts";

/** v1alpha1 DefaultPluginRequeueAfter; DefaultSCMProviderRequeueAfter and DefaultPullRequestRequeueAfter. */
const serverMs = 1_800_000;

/**
 * When a set is looked at again by itself: at the shortest time that one of its generators has; undefined: never.
 * `defaultMs`: of generators that say nothing and have no time of their own.
 */
export function requeueAfterMs(set: ApplicationSet, defaultMs: number): number | undefined {
  const times = allGenerators(set).flatMap(
    ({ git, scmProvider, pullRequest, clusterDecisionResource, plugin }) => [
      timeOf(git, defaultMs),
      timeOf(clusterDecisionResource, defaultMs),
      timeOf(scmProvider, serverMs),
      timeOf(pullRequest, serverMs),
      timeOf(plugin, serverMs),
    ],
  );
  const wanted = times.filter((ms) => ms > 0);
  return wanted.length === 0 ? undefined : Math.min(...wanted);
}

/** 0: never. */
function timeOf(
  generator: { readonly requeueAfterSeconds?: number | undefined } | undefined,
  defaultMs: number,
): number {
  if (!generator) return 0;
  const { requeueAfterSeconds: seconds } = generator;
  return seconds === undefined ? defaultMs : seconds * 1000;
}

/** Whether what it makes hangs on the clusters that are known. */
export function usesClusters(set: ApplicationSet): boolean {
  return allGenerators(set).some(
    ({ clusters, clusterDecisionResource }) =>
      clusters !== undefined || clusterDecisionResource !== undefined,
  );
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
