import { parseTime } from "@capstan/formats";
import type { Application, ApplicationSet, Operation } from "@capstan/model";
import { isCompared } from "../sync/dependencies.ts";

/** Of one Application, as the set's status tells it (v1alpha1 ApplicationSetApplicationStatus). */
export type RolloutState = NonNullable<NonNullable<ApplicationSet["status"]>["applicationStatus"]>[number];

export interface RolloutLook {
  readonly app: Application;
  /** The set means another specification than the Application has, and will write it. */
  readonly isSpecChanged: boolean;
  /** From 1, -1 where no step selects it. */
  readonly step: string;
  /** RFC 3339, in seconds. */
  readonly now: string;
}

const messages = {
  new: "No Application status found, defaulting status to Waiting",
  both: "Application has pending changes (revision and spec differ), setting status to Waiting",
  revision: "Application has pending changes, setting status to Waiting",
  spec: "Application has pending changes (spec differs), setting status to Waiting",
  synced: "Application resource has synced, updating status to Healthy",
  syncing: "Application resource has synced, updating status to Progressing",
  succeeded:
    "Application resource completed a sync successfully, updating status from Pending to Progressing",
  completed: "Application resource completed a sync, updating status from Pending to Progressing",
  progressing: "Application resource became Progressing, updating status from Pending to Progressing",
  failed: "Application resource has error and cannot sync, updating status to Progressing",
  healthy: "Application resource became Healthy, updating status from Progressing to Healthy",
  pending: "Application moved to Pending status, watching for the Application resource to start Progressing",
} as const;

/**
 * What has become of an Application since it was looked at last (progressivesync UpdateApplicationSetApplicationStatus).
 * Two things are stricter than there. A verdict counts only where it is about the specification that the Application
 * has now: Argo CD takes one that is synced by its former specification for rolled out. And whether a sync has been
 * started is read from the mark that the operation carries, not from times alone.
 */
export function nextState(before: RolloutState | undefined, look: RolloutLook): RolloutState {
  const { app, isSpecChanged, step, now } = look;
  const revisions = comparedRevisions(app);
  const known: RolloutState = before
    ? { ...before, step }
    : {
        application: app.metadata.name,
        status: "Waiting",
        step,
        message: messages.new,
        targetRevisions: revisions,
        lastTransitionTime: now,
      };
  const isMoved = before !== undefined && !isSameList(before.targetRevisions ?? [], revisions);
  const change = isMoved ? (isSpecChanged ? "both" : "revision") : isSpecChanged ? "spec" : undefined;
  const current = change
    ? moved({ ...known, targetRevisions: revisions }, { status: "Waiting", why: change, now })
    : known;
  const isSynced = !isSpecChanged && isCompared(app) && app.status?.sync?.status === "Synced";
  const isHealthy = app.status?.health?.status === "Healthy";
  if (current.status === "Waiting") {
    if (!isSynced) return current;
    return isHealthy
      ? moved(current, { status: "Healthy", why: "synced", now })
      : moved(current, { status: "Progressing", why: "syncing", now });
  }
  if (current.status === "Pending") {
    const why = whyProgressing(app, current);
    return why ? moved(current, { status: "Progressing", why, now }) : current;
  }
  if (current.status === "Progressing" && isSynced && isHealthy)
    return moved(current, { status: "Healthy", why: "healthy", now });
  return current;
}

/** Its sync may begin now. */
export function pendingState(state: RolloutState, now: string): RolloutState {
  return moved(state, { status: "Pending", why: "pending", now });
}

function moved(
  state: RolloutState,
  { status, why, now }: { status: string; why: keyof typeof messages; now: string },
): RolloutState {
  const at = state.status === status && state.lastTransitionTime ? state.lastTransitionTime : now;
  return { ...state, status, message: messages[why], lastTransitionTime: at };
}

/** Why it waits no longer for its sync to begin; undefined: it does. */
function whyProgressing(app: Application, state: RolloutState): keyof typeof messages | undefined {
  const phase = app.status?.operationState?.phase;
  if (isStarted(app, state)) {
    if (phase === "Succeeded") return "succeeded";
    return phase === "Failed" || phase === "Error" ? "completed" : "progressing";
  }
  return app.operation && isMarked(app.operation, state) && hasError(app) ? "failed" : undefined;
}

/** Name of the entry of an operation's `info` by which it is known whose it is. */
export const rolloutMark = "RollingSync pending since";

function isMarked({ info = [] }: Operation, { lastTransitionTime }: RolloutState): boolean {
  return info.some(({ name, value }) => name === rolloutMark && value === lastTransitionTime);
}

/** A sync has begun since the state is Pending: the set's own, or one that somebody else asked for. */
export function isStarted({ status }: Application, state: RolloutState): boolean {
  const { operation, startedAt } = status?.operationState ?? {};
  if (!operation) return false;
  return (
    isMarked(operation, state) || (parseTime(startedAt) ?? 0) > (parseTime(state.lastTransitionTime) ?? 0)
  );
}

/** An operation is there, or under way: another one has to wait for it. */
export function isBusy({ operation, status }: Application): boolean {
  const phase = status?.operationState?.phase;
  return operation !== undefined || phase === "Running" || phase === "Terminating";
}

/** What keeps an Application from being compared and synced at all. */
export function hasError({ status }: Application): boolean {
  return (status?.conditions ?? []).some(
    ({ type }) => type === "InvalidSpecError" || type === "UnknownError",
  );
}

/** v1alpha1 ApplicationStatus.GetRevisions. */
function comparedRevisions({ status }: Application): string[] {
  const { revision, revisions = [] } = status?.sync ?? {};
  return revisions.length > 0 ? [...revisions] : revision ? [revision] : [];
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
