import type { Application, ApplicationSet, ApplicationSetCondition, Operation } from "@capstan/model";
import { type ApplicationSteps, assignSteps, stepText } from "./application-steps.ts";
import { stepsOf } from "./rolling-strategy.ts";
import { configCondition, progressingCondition } from "./rollout-conditions.ts";
import {
  hasError,
  isBusy,
  isStarted,
  nextState,
  pendingState,
  type RolloutState,
  rolloutMark,
} from "./rollout-state.ts";

export interface RollInput {
  readonly set: ApplicationSet;
  /** What the set means, as its template has it: with what it says of automated syncs. */
  readonly desired: readonly Application[];
  /** What it controls. */
  readonly owned: readonly Application[];
  /** Names of Applications whose specification the set is about to change. */
  readonly changing: ReadonlySet<string>;
  /** Whether the set's policy lets it change Applications. */
  readonly mayUpdate: boolean;
  /** RFC 3339, in seconds. */
  readonly now: string;
}

export interface RollPlan {
  /** `status.applicationStatus`, by name. It is to be stored before anything is started. */
  readonly states: readonly RolloutState[];
  readonly starts: readonly { readonly app: Application; readonly operation: Operation }[];
  readonly conditions: readonly Omit<ApplicationSetCondition, "lastTransitionTime">[];
  /** Something may become Pending with the next second. */
  readonly isEarly: boolean;
}

/**
 * How far a set's rollout is, and which syncs it starts now (progressivesync PerformProgressiveSyncs). The set's status
 * is all that is remembered: what it says is Pending is started, unless it has been.
 */
export function rollSet(input: RollInput): RollPlan {
  const { set, desired, owned, changing, mayUpdate, now } = input;
  const steps = assignSteps(set, desired);
  const before = new Map((set.status?.applicationStatus ?? []).map((one) => [one.application, one]));
  const apps = new Map(owned.map((app) => [app.metadata.name, app]));
  const states = [...apps.keys()].sort().flatMap((name) => {
    const app = apps.get(name);
    if (!app) return [];
    const look = { app, isSpecChanged: changing.has(name), step: stepText(steps, name), now };
    return [nextState(before.get(name), look)];
  });
  const open = openNames(steps, { apps, states });
  const chosen = choose({ set, steps, states, apps, open, now });
  const wanted = new Map(desired.map((app) => [app.metadata.name, app]));
  const starts = chosen.states.flatMap((state) => {
    const app = apps.get(state.application);
    const meant = wanted.get(state.application);
    const isDue = state.status === "Pending" && open.has(state.application) && mayUpdate;
    if (!isDue || !app || !meant || isBusy(app) || isStarted(app, state) || app.metadata.deletionTimestamp)
      return [];
    return [{ app, operation: rolloutOperation(meant, state) }];
  });
  const unmatched = desired.map(({ metadata }) => metadata.name).filter((name) => !steps.stepOf.has(name));
  const { maxUpdates } = chosen;
  return {
    states: chosen.states,
    starts,
    conditions: [
      configCondition({ ...steps, maxUpdates, unmatched, mayNotUpdate: !mayUpdate }),
      progressingCondition(set, chosen.states),
    ],
    isEarly: chosen.isEarly,
  };
}

/** Of the steps up to the first with an Application that is not there, or not healthy (getAppsToSync). */
function openNames(
  { members }: ApplicationSteps,
  { apps, states }: { apps: ReadonlyMap<string, Application>; states: readonly RolloutState[] },
): Set<string> {
  const healthy = new Set(states.filter(({ status }) => status === "Healthy").map((one) => one.application));
  const open = new Set<string>();
  for (const names of members) {
    for (const name of names) open.add(name);
    if (!names.every((name) => apps.has(name) && healthy.has(name))) break;
  }
  return open;
}

interface Choice {
  readonly set: ApplicationSet;
  readonly steps: ApplicationSteps;
  readonly states: readonly RolloutState[];
  readonly apps: ReadonlyMap<string, Application>;
  readonly open: ReadonlySet<string>;
  readonly now: string;
}

/** Which of those that wait may go, as many at a time as their step allows (UpdateApplicationSetApplicationStatusProgress). */
function choose({ set, steps, states, apps, open, now }: Choice) {
  // Those that no step selects count in the first, as in Argo CD.
  const stepOf = (name: string): number => steps.stepOf.get(name) ?? 0;
  const isUpdating = ({ status, application }: RolloutState): boolean => {
    if (status === "Pending" || status === "Progressing") return true;
    const app = apps.get(application);
    return status === "Waiting" && app !== undefined && isBusy(app);
  };
  const total = new Map<number, number>();
  const updating = new Map<number, number>();
  for (const state of states) {
    const step = stepOf(state.application);
    total.set(step, (total.get(step) ?? 0) + 1);
    if (isUpdating(state)) updating.set(step, (updating.get(step) ?? 0) + 1);
  }
  const limits = stepsOf(set).map(({ maxUpdate }, step) => readMaxUpdate(maxUpdate, total.get(step) ?? 0));
  let isEarly = false;
  const chosen = states.map((state) => {
    const { application, status, lastTransitionTime } = state;
    const app = apps.get(application);
    if (status !== "Waiting" || !open.has(application) || !app || !isReady(app)) return state;
    const step = stepOf(application);
    const count = updating.get(step) ?? 0;
    if (count >= (limits[step]?.most ?? Number.POSITIVE_INFINITY)) return state;
    // Times have seconds, and tell one turn of an Application from the next.
    if (lastTransitionTime === now) {
      isEarly = true;
      return state;
    }
    updating.set(step, count + 1);
    return pendingState(state, now);
  });
  const maxUpdates = limits.flatMap(({ invalid }, step) =>
    invalid === undefined ? [] : [{ step, maxUpdate: invalid }],
  );
  return { states: chosen, maxUpdates, isEarly };
}

/** It has been compared, or cannot be; a sync that is under way ends before another begins. */
function isReady(app: Application): boolean {
  if (isBusy(app) || app.metadata.deletionTimestamp) return false;
  return app.status?.sync?.status !== undefined || hasError(app);
}

/** intstr.GetScaledValueFromIntOrPercent, rounded down; a share that is not "0%" is one Application at least. */
function readMaxUpdate(
  maxUpdate: number | string | undefined,
  total: number,
): { most: number; invalid?: string } {
  if (maxUpdate === undefined) return { most: Number.POSITIVE_INFINITY };
  if (typeof maxUpdate === "number") return { most: maxUpdate };
  const [, percent] = /^([+-]?\d{1,9})%$/.exec(maxUpdate) ?? [];
  if (percent === undefined) return { most: 1, invalid: maxUpdate };
  const share = Math.floor((Number(percent) * total) / 100);
  return { most: maxUpdate === "0%" ? 0 : Math.max(1, share) };
}

/** progressivesync syncApplication, with the mark by which it is known whose it is. */
function rolloutOperation({ spec }: Application, { lastTransitionTime }: RolloutState): Operation {
  const { automated, retry, syncOptions } = spec.syncPolicy ?? {};
  const isPruning = automated !== undefined && automated.enabled !== false && automated.prune === true;
  return {
    initiatedBy: { username: "applicationset-controller", automated: true },
    info: [
      { name: "Reason", value: "ApplicationSet RollingSync triggered a sync of this Application resource" },
      { name: rolloutMark, value: lastTransitionTime ?? "" },
    ],
    sync: { ...(syncOptions ? { syncOptions } : {}), ...(isPruning ? { prune: true } : {}) },
    retry: retry ?? { limit: 5 },
  };
}
