import { growingPause } from "@capstan/flow";
import { podsToDelete } from "../apps/pods-to-delete.ts";
import { dependents } from "../claim-dependents.ts";
import { findCondition, withCondition } from "../conditions.ts";
import { type Context, type Controller, lookUp, ownChanges, timestamp } from "../controller.ts";
import { type Condition, isPod } from "../kinds.ts";
import { isDeleting, ownerKeys } from "../owners.ts";
import { PodControl, slowStart } from "../pod-control.ts";
import { resourceTypes } from "../resource-types.ts";
import { unlessZero, writeStatus } from "../write-status.ts";
import { indexOf, printIndexes } from "./indexes.ts";
import { jobPod } from "./job-pods.ts";
import { JobTallies, type Tally } from "./job-tally.ts";
import { deadlineInMs, isFinished, jobVerdict, type Verdict } from "./job-verdict.ts";
import type { Job, JobStatus } from "./kinds.ts";

const component = "job-controller";

const firstBackoffMs = 10_000;

const longestBackoffMs = 600_000;

const mostPodsAtOnce = 500;

export function jobs(context: Context): Controller {
  const control = new PodControl(context, component);
  const tallies = new JobTallies();
  return {
    name: component,
    watches: [
      ownChanges(resourceTypes.jobs),
      { type: resourceTypes.pods, keysOf: (pod) => ownerKeys(pod, "Job", "batch/v1") },
    ],
    async reconcile(key) {
      const { objects, clock } = context;
      const job = lookUp<Job>(objects, resourceTypes.jobs, key);
      if (!job || isDeleting(job) || isFinished(job)) tallies.forget(key);
      if (!job || isDeleting(job)) return undefined;
      const { managedBy = "kubernetes.io/job-controller" } = job.spec;
      if (managedBy !== "kubernetes.io/job-controller") return undefined;
      if (isFinished(job)) return expire(context, job);
      const turn = { context, control, job, nowMs: clock.now() };
      const tally = tallies.take(job, dependents(objects, job, isPod));
      const verdict = jobVerdict(job, tally, turn.nowMs);
      const backoffMs = verdict ? await stopAll(turn, tally) : await keepRunning(turn, tally);
      const after = tallies.take(job, dependents(objects, job, isPod));
      const status = await tell(turn, after, verdict);
      return soonest(backoffMs, deadlineInMs({ ...job, status }, turn.nowMs));
    },
  };
}

interface Turn {
  context: Context;
  control: PodControl;
  job: Job;
  nowMs: number;
}

async function stopAll({ control, job }: Turn, { active }: Tally): Promise<undefined> {
  await Promise.all(active.map((pod) => control.delete(job, pod)));
}

/** Starts and stops Pods as the Job asks; answers in how many ms a failure lets it start more. */
async function keepRunning(turn: Turn, tally: Tally): Promise<number | undefined> {
  const { control, job, nowMs } = turn;
  const { active } = tally;
  const wanted = job.spec.suspend ? 0 : wantedPods(job, tally);
  if (active.length > wanted) {
    const surplus = podsToDelete(active, active.length - wanted);
    await Promise.all(surplus.map((pod) => control.delete(job, pod)));
    return undefined;
  }
  const waits = job.spec.podReplacementPolicy === "Failed" ? tally.terminating : 0;
  const missing = Math.min(wanted - active.length - waits, mostPodsAtOnce);
  if (missing <= 0) return undefined;
  const backoffMs = tally.lastFailureMs + backoffAfter(tally.failuresInARow) - nowMs;
  if (tally.failuresInARow > 0 && backoffMs > 0) return backoffMs;
  const indexes = job.spec.completionMode === "Indexed" ? pendingIndexes(job, tally) : undefined;
  const count = indexes ? Math.min(missing, indexes.length) : missing;
  await slowStart(count, (at) => control.create(job, jobPod(job, indexes?.[at])));
  return undefined;
}

function wantedPods(job: Job, { succeeded, active, failedIndexes }: Tally): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.min(Math.max(completions - succeeded - failedIndexes.size, 0), parallelism);
}

/** 10 s after the first failure, twice that after each further one: DefaultJobPodFailureBackOff. */
function backoffAfter(failed: number): number {
  return growingPause(Math.max(failed, 1), { firstMs: firstBackoffMs, longestMs: longestBackoffMs });
}

function pendingIndexes(job: Job, { succeededIndexes, failedIndexes, active }: Tally): number[] {
  const running = new Set(active.map(indexOf));
  const pending: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0); index++) {
    if (!succeededIndexes.has(index) && !failedIndexes.has(index) && !running.has(index)) pending.push(index);
  }
  return pending;
}

async function tell(
  { context, job, nowMs }: Turn,
  tally: Tally,
  verdict: Verdict | undefined,
): Promise<JobStatus> {
  const { objects, events } = context;
  const now = timestamp(nowMs);
  const isIndexed = job.spec.completionMode === "Indexed";
  const isSettled = verdict !== undefined && tally.active.length === 0 && tally.terminating === 0;
  const conditions = conditionsOf(job, { verdict, isSettled, now });
  const status: JobStatus = {
    ...optional("startTime", startTime(job, conditions, now)),
    ...optional("completionTime", isSettled && verdict.outcome === "Complete" ? now : undefined),
    ...optional("active", unlessZero(tally.active.length)),
    ...optional("succeeded", unlessZero(tally.succeeded)),
    ...optional("failed", unlessZero(tally.failed)),
    ...optional(
      "completedIndexes",
      isIndexed ? printIndexes(tally.succeededIndexes) || undefined : undefined,
    ),
    ...optional(
      "failedIndexes",
      job.spec.backoffLimitPerIndex === undefined ? undefined : printIndexes(tally.failedIndexes),
    ),
    ready: tally.ready,
    terminating: tally.terminating,
    uncountedTerminatedPods: {},
    ...(conditions.length > 0 && { conditions }),
  };
  const before = findCondition(job.status?.conditions, "Suspended");
  await writeStatus<Job>(objects, resourceTypes.jobs, { object: job, status });
  const suspended = findCondition(conditions, "Suspended");
  if (suspended && suspended.status !== before?.status) {
    const isSuspended = suspended.status === "True";
    const message = isSuspended ? "Job suspended" : "Job resumed";
    events.record(job, { type: "Normal", reason: isSuspended ? "Suspended" : "Resumed", message, component });
  }
  if (!isSettled) return status;
  if (verdict.outcome === "Complete")
    events.record(job, { type: "Normal", reason: "Completed", message: "Job completed", component });
  else events.record(job, { type: "Warning", reason: verdict.reason, message: verdict.message, component });
  return status;
}

function conditionsOf(
  job: Job,
  { verdict, isSettled, now }: { verdict: Verdict | undefined; isSettled: boolean; now: string },
): readonly Condition[] {
  let conditions = job.status?.conditions ?? [];
  const put = (condition: Omit<Condition, "lastProbeTime">) => {
    const known = findCondition(conditions, condition.type);
    if (known?.status === condition.status && known.reason === condition.reason) return;
    conditions = withCondition(conditions, { ...condition, lastProbeTime: now }, now);
  };
  if (verdict) {
    const { outcome, reason, message } = verdict;
    put({
      type: outcome === "Complete" ? "SuccessCriteriaMet" : "FailureTarget",
      status: "True",
      reason,
      message,
    });
    if (isSettled) put({ type: outcome, status: "True", reason, message });
  } else if (job.spec.suspend) {
    put({ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" });
  } else if (findCondition(conditions, "Suspended")) {
    put({ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" });
  }
  return conditions;
}

/** Cleared while suspended, begun anew when resumed. */
function startTime(job: Job, conditions: readonly Condition[], now: string): string | undefined {
  if (job.spec.suspend && !isFinished(job)) return undefined;
  const was = findCondition(job.status?.conditions, "Suspended")?.status;
  const is = findCondition(conditions, "Suspended")?.status;
  return was === "True" && is === "False" ? now : (job.status?.startTime ?? now);
}

/** Deletes a finished Job spec.ttlSecondsAfterFinished after its end. */
async function expire({ objects, clock }: Context, job: Job): Promise<number | undefined> {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined) return undefined;
  const { conditions } = job.status ?? {};
  const end = findCondition(conditions, "Complete") ?? findCondition(conditions, "Failed");
  const leftMs = Date.parse(end?.lastTransitionTime ?? "") + ttlSecondsAfterFinished * 1_000 - clock.now();
  if (leftMs > 0) return leftMs;
  const { namespace = "", name = "", uid = "" } = job.metadata;
  await objects.delete(resourceTypes.jobs, namespace, name, { uid, propagation: "Background" });
  return undefined;
}

function soonest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.max(Math.min(...known), 1);
}

function optional<Field extends keyof JobStatus>(field: Field, value: JobStatus[Field]): JobStatus {
  return value === undefined ? {} : { [field]: value };
}
