import { findCondition, isTrue } from "../conditions.ts";
import type { Pod } from "../kinds.ts";
import { matchSuccess } from "./job-policies.ts";
import type { Tally } from "./job-tally.ts";
import type { Job } from "./kinds.ts";

export interface Verdict {
  outcome: "Complete" | "Failed";
  reason: string;
  message: string;
}

export function isFinished(job: Job): boolean {
  return isTrue(job.status?.conditions, "Complete") || isTrue(job.status?.conditions, "Failed");
}

/** Whether the Job is over, and why: in the order of pkg/controller/job syncJob. */
export function jobVerdict(job: Job, tally: Tally, nowMs: number): Verdict | undefined {
  return earlierVerdict(job) ?? failure(job, tally, nowMs) ?? success(job, tally);
}

/** What an earlier look decided holds while its Pods go. */
function earlierVerdict(job: Job): Verdict | undefined {
  for (const [type, outcome] of [
    ["SuccessCriteriaMet", "Complete"],
    ["FailureTarget", "Failed"],
  ] as const) {
    const { status, reason = "", message = "" } = findCondition(job.status?.conditions, type) ?? {};
    if (status === "True") return { outcome, reason, message };
  }
  return undefined;
}

function failure(job: Job, tally: Tally, nowMs: number): Verdict | undefined {
  const { backoffLimit = 6, backoffLimitPerIndex, completions = 1, maxFailedIndexes } = job.spec;
  const fail = (reason: string, message: string): Verdict => ({ outcome: "Failed", reason, message });
  if (tally.fatal !== undefined) return fail("PodFailurePolicy", tally.fatal);
  if (tally.failed > backoffLimit || restartsPastLimit(job, tally.active, backoffLimit)) {
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if ((deadlineInMs(job, nowMs) ?? 1) <= 0)
    return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  if (backoffLimitPerIndex === undefined) return undefined;
  const { failedIndexes, succeededIndexes } = tally;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes) {
    return fail(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  }
  if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions) {
    return fail("FailedIndexes", "Job has failed indexes");
  }
  return undefined;
}

function success(job: Job, { succeeded, active, succeededIndexes }: Tally): Verdict | undefined {
  const { completions } = job.spec;
  const rule = matchSuccess(job, succeededIndexes);
  if (rule !== undefined) {
    return { outcome: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  }
  const isDone = completions === undefined ? succeeded > 0 : succeeded >= completions;
  if (!isDone || active.length > 0) return undefined;
  return {
    outcome: "Complete",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}

/** How long spec.activeDeadlineSeconds leaves the Job. */
export function deadlineInMs(job: Job, nowMs: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const { startTime } = job.status ?? {};
  if (activeDeadlineSeconds === undefined || startTime === undefined || suspend) return undefined;
  return Date.parse(startTime) + activeDeadlineSeconds * 1_000 - nowMs;
}

function restartsPastLimit(job: Job, active: readonly Pod[], limit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of active) {
    for (const { restartCount } of [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ]) {
      restarts += restartCount;
    }
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
