import { ApiError } from "../../types.ts";
import { dependents } from "../claim-dependents.ts";
import { findCondition, isTrue } from "../conditions.ts";
import { type Context, type Controller, lookUp, ownChanges, timestamp } from "../controller.ts";
import { controllerReference, isControlledBy, isDeleting, ownerKeys } from "../owners.ts";
import { isNamespaceGoing, textOf } from "../pod-control.ts";
import { resourceTypes } from "../resource-types.ts";
import { writeStatus } from "../write-status.ts";
import { isFinished } from "./job-verdict.ts";
import { type CronJob, type CronJobStatus, isJob, type Job, type JobReference } from "./kinds.ts";
import { dueTime, readSchedule, type Schedule } from "./schedule.ts";

const component = "cronjob-controller";

const scheduledAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

const manyMissed = 100;

export function cronJobs(context: Context): Controller {
  return {
    name: component,
    watches: [
      ownChanges(resourceTypes.cronJobs),
      { type: resourceTypes.jobs, keysOf: (job) => ownerKeys(job, "CronJob", "batch/v1") },
    ],
    async reconcile(key) {
      const { objects, clock } = context;
      const cronJob = lookUp<CronJob>(objects, resourceTypes.cronJobs, key);
      if (!cronJob) return undefined;
      const turn = { context, cronJob, nowMs: clock.now(), jobs: dependents(objects, cronJob, isJob) };
      const seen = withFinished(turn);
      const planned = isDeleting(cronJob)
        ? { status: seen, nextMs: undefined }
        : await runWhatIsDue(turn, seen);
      await writeStatus<CronJob>(objects, resourceTypes.cronJobs, {
        object: cronJob,
        status: planned.status,
      });
      await removeHistory(turn);
      return planned.nextMs;
    },
  };
}

interface Turn {
  context: Context;
  cronJob: CronJob;
  nowMs: number;
  jobs: readonly Job[];
}

interface Planned {
  status: CronJobStatus;
  nextMs: number | undefined;
}

/** Takes finished and vanished Jobs from status.active. */
function withFinished({ context, cronJob, jobs }: Turn): CronJobStatus {
  const say = sayer(context, cronJob);
  const active: JobReference[] = [];
  let { lastSuccessfulTime } = cronJob.status ?? {};
  for (const job of jobs) {
    const { completionTime } = job.status ?? {};
    if (completionTime !== undefined && completionTime > (lastSuccessfulTime ?? ""))
      lastSuccessfulTime = completionTime;
  }
  for (const reference of cronJob.status?.active ?? []) {
    const job = jobs.find(({ metadata }) => metadata.uid === reference.uid);
    if (job && !isFinished(job)) active.push(reference);
    else if (!job) say("Normal", "MissingJob", `Active job went missing: ${reference.name}`);
    else
      say("Normal", "SawCompletedJob", `Saw completed job: ${reference.name}, condition: ${outcomeOf(job)}`);
  }
  for (const job of jobs) {
    if (isFinished(job) || isDeleting(job) || active.some(({ uid }) => uid === job.metadata.uid)) continue;
    active.push(referenceTo(job));
  }
  const { lastScheduleTime } = cronJob.status ?? {};
  return statusWith({ active, lastScheduleTime, lastSuccessfulTime });
}

async function runWhatIsDue(turn: Turn, status: CronJobStatus): Promise<Planned> {
  const { context, cronJob, nowMs } = turn;
  const say = sayer(context, cronJob);
  const schedule = scheduleOf(turn);
  if (!schedule || cronJob.spec.suspend) return { status, nextMs: undefined };
  const { startingDeadlineSeconds } = cronJob.spec;
  const nextMs = Math.max((schedule.next(nowMs) ?? nowMs + 86_400_000) - nowMs + 100, 100);
  const lastMs = Date.parse(
    status.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? timestamp(nowMs),
  );
  const oldestMs = startingDeadlineSeconds === undefined ? 0 : nowMs - startingDeadlineSeconds * 1_000;
  const { dueMs, missed } = dueTime(schedule, Math.max(lastMs, oldestMs), nowMs);
  if (missed > manyMissed) {
    say(
      "Warning",
      "TooManyMissedTimes",
      "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    );
  }
  if (dueMs === undefined || timestamp(dueMs) === status.lastScheduleTime) return { status, nextMs };
  const { concurrencyPolicy } = cronJob.spec;
  let active = status.active ?? [];
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    say(
      "Normal",
      "JobAlreadyActive",
      "Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    return { status, nextMs };
  }
  if (concurrencyPolicy === "Replace") {
    for (const { name, uid } of active) await deleteJob(turn, { name, uid });
    active = [];
  }
  const job = await startJob(turn, dueMs);
  if (job && !active.some(({ uid }) => uid === job.metadata.uid)) active = [...active, referenceTo(job)];
  const { lastSuccessfulTime } = status;
  return { status: statusWith({ active, lastScheduleTime: timestamp(dueMs), lastSuccessfulTime }), nextMs };
}

function scheduleOf({ context, cronJob }: Turn): Schedule | undefined {
  const { schedule, timeZone } = cronJob.spec;
  try {
    return readSchedule(schedule, timeZone);
  } catch (error) {
    const message = `unparseable schedule: "${schedule}" : ${textOf(error)}`;
    sayer(context, cronJob)("Warning", "UnparseableSchedule", message);
    return undefined;
  }
}

/** One Job for one time: its name, made of the time, is the lock. Undefined when another's Job holds the name. */
async function startJob({ context, cronJob }: Turn, dueMs: number): Promise<Job | undefined> {
  const { objects } = context;
  const say = sayer(context, cronJob);
  const { namespace = "", name = "" } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const job: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${name}-${Math.floor(dueMs / 60_000)}`,
      namespace,
      ...(metadata?.labels && { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, [scheduledAnnotation]: timestamp(dueMs) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec,
  };
  try {
    const created = await objects.create<Job>(resourceTypes.jobs, job);
    say("Normal", "SuccessfulCreate", `Created job ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "AlreadyExists") {
      const known = objects.get<Job>(resourceTypes.jobs, namespace, job.metadata.name ?? "");
      return known && isControlledBy(known, cronJob) ? known : undefined;
    }
    if (!isNamespaceGoing(error)) say("Warning", "FailedCreate", `Error creating job: ${textOf(error)}`);
    throw error;
  }
}

async function removeHistory(turn: Turn): Promise<void> {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = turn.cronJob.spec;
  const remove = async (type: string, limit: number) => {
    const ended = turn.jobs.filter((job) => isTrue(job.status?.conditions, type) && !isDeleting(job));
    ended.sort((a, b) => ((a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1));
    for (const { metadata } of ended.slice(0, Math.max(ended.length - limit, 0))) {
      await deleteJob(turn, { name: metadata.name ?? "", uid: metadata.uid ?? "" });
    }
  };
  await remove("Complete", successfulJobsHistoryLimit);
  await remove("Failed", failedJobsHistoryLimit);
}

async function deleteJob(
  { context, cronJob }: Turn,
  { name, uid }: { name: string; uid: string },
): Promise<void> {
  const { namespace = "" } = cronJob.metadata;
  try {
    await context.objects.delete(resourceTypes.jobs, namespace, name, { uid, propagation: "Background" });
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return;
    throw error;
  }
  sayer(context, cronJob)("Normal", "SuccessfulDelete", `Deleted job ${name}`);
}

function sayer({ events }: Context, cronJob: CronJob) {
  return (type: "Normal" | "Warning", reason: string, message: string) =>
    events.record(cronJob, { type, reason, message, component });
}

function outcomeOf(job: Job): string {
  return findCondition(job.status?.conditions, "Complete")?.status === "True" ? "Complete" : "Failed";
}

function referenceTo({ apiVersion, kind, metadata }: Job): JobReference {
  const { name = "", namespace = "", uid = "", resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    namespace,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

function statusWith(facts: {
  active: readonly JobReference[];
  lastScheduleTime: string | undefined;
  lastSuccessfulTime: string | undefined;
}): CronJobStatus {
  const { active, lastScheduleTime, lastSuccessfulTime } = facts;
  return {
    ...(active.length > 0 && { active }),
    ...(lastScheduleTime !== undefined && { lastScheduleTime }),
    ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
  };
}
