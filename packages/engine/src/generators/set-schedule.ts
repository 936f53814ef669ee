import type {
  ApplicationSet,
  ApplicationSetGenerator,
  NestedGenerator,
  TerminalGenerator,
} from "@capstan/model";
import type { SetPolicy } from "./plan-applications.ts";

type AnyGenerator = ApplicationSetGenerator | NestedGenerator | TerminalGenerator;

/** A set's generators with those that are nested in others. */
function allGenerators(generators: readonly AnyGenerator[]): AnyGenerator[] {
  return generators.flatMap((one) => {
    const nested = [
      ...("matrix" in one ? (one.matrix?.generators ?? []) : []),
      ...("merge" in one ? (one.merge?.generators ?? []) : []),
    ];
    return [one, ...allGenerators(nested)];
  });
}

/** When a set is looked at again by itself: at the shortest time that one of its generators has; undefined: never. */
export function requeueAfterMs({ spec }: ApplicationSet, defaultMs: number): number | undefined {
  const times = allGenerators(spec.generators).flatMap(({ git }) => {
    if (!git) return [];
    const { requeueAfterSeconds } = git;
    return [requeueAfterSeconds === undefined ? defaultMs : requeueAfterSeconds * 1000];
  });
  const wanted = times.filter((ms) => ms > 0);
  return wanted.length === 0 ? undefined : Math.min(...wanted);
}

/** Whether what it makes hangs on the clusters that are known. */
export function usesClusters({ spec }: ApplicationSet): boolean {
  return allGenerators(spec.generators).some(({ clusters }) => clusters !== undefined);
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
