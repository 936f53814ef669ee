import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition } from "../conditions.ts";
import type { Container, Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";
import type { CronJob, Job, JobSpec } from "./kinds.ts";

function shell(script: string): Container {
  return { name: "main", image: "busybox", command: ["sh", "-c", script] };
}

function spec(script: string, facts: Partial<JobSpec> = {}): JobSpec {
  const template = {
    metadata: { labels: { "job-name": "job" } },
    spec: { containers: [shell(script)], restartPolicy: "Never" },
  };
  return {
    backoffLimit: 6,
    completions: 1,
    parallelism: 1,
    completionMode: "NonIndexed",
    suspend: false,
    template,
    ...facts,
  };
}

async function createJob(world: World, job: JobSpec): Promise<void> {
  const metadata = { name: "job", namespace: "shop" };
  await world.objects.create<Job>(resourceTypes.jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata,
    spec: job,
  });
}

function job({ objects }: World): Job {
  const found = objects.get<Job>(resourceTypes.jobs, "shop", "job");
  assert.ok(found);
  return found;
}

function pods({ objects }: World): readonly Pod[] {
  return objects.list<Pod>(resourceTypes.pods, "shop");
}

function conditionTypes(world: World): string[] {
  return (job(world).status?.conditions ?? []).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  );
}

test("a Job completes when its Pod succeeds", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createJob(world, spec("echo done; sleep 2"));
  await world.pass(1_000);
  assert.deepEqual([job(world).status?.active, job(world).status?.ready], [1, 1]);
  await world.pass(2_000);
  const { status } = job(world);
  assert.deepEqual([status?.active, status?.succeeded, status?.failed], [undefined, 1, undefined]);
  assert.deepEqual(conditionTypes(world), [
    "SuccessCriteriaMet True CompletionsReached",
    "Complete True CompletionsReached",
  ]);
  assert.equal(status?.startTime, "2026-01-01T00:00:00Z");
  assert.equal(status?.completionTime, "2026-01-01T00:00:02Z");
  const [pod] = pods(world);
  assert.match(pod?.metadata.name ?? "", /^job-[a-z0-9]{5}$/);
  assert.equal(pod?.metadata.labels?.["batch.kubernetes.io/controller-uid"], job(world).metadata.uid);
});

test("a failing Job tries again with growing pauses until its limit", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createJob(world, spec("exit 1", { backoffLimit: 2 }));
  await world.pass(9_000);
  assert.equal(pods(world).length, 1);
  await world.pass(1_000);
  assert.equal(pods(world).length, 2);
  await world.pass(19_000);
  assert.equal(pods(world).length, 2);
  await world.pass(2_000);
  assert.equal(job(world).status?.failed, 3);
  assert.deepEqual(conditionTypes(world), [
    "FailureTarget True BackoffLimitExceeded",
    "Failed True BackoffLimitExceeded",
  ]);
  assert.equal(
    findCondition(job(world).status?.conditions, "Failed")?.message,
    "Job has reached the specified backoff limit",
  );
});

test("completions run in parallel, no more than asked for", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createJob(world, spec("sleep 1", { completions: 5, parallelism: 2 }));
  const active: number[] = [];
  world.objects.subscribe(resourceTypes.jobs, () => active.push(job(world).status?.active ?? 0));
  await world.pass(10_000);
  assert.equal(Math.max(...active), 2);
  assert.equal(job(world).status?.succeeded, 5);
  assert.equal(pods(world).length, 5);
});

test("an Indexed Job runs each index", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createJob(
    world,
    spec("echo index $JOB_COMPLETION_INDEX", { completions: 3, parallelism: 3, completionMode: "Indexed" }),
  );
  await world.pass(1_000);
  assert.equal(job(world).status?.completedIndexes, "0-2");
  const indexes = pods(world).map(
    ({ metadata }) => metadata.annotations?.["batch.kubernetes.io/job-completion-index"],
  );
  assert.deepEqual(indexes.sort(), ["0", "1", "2"]);
  const last = pods(world).find(({ spec: { hostname } }) => hostname === "job-2");
  const log = {
    namespace: "shop",
    name: last?.metadata.name ?? "",
    follow: false,
    timestamps: false,
    previous: false,
    signal: world.signal,
  };
  assert.equal(world.workloads.podLog(log), "index 2\n");
});

test("activeDeadlineSeconds ends a Job and its Pods", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createJob(world, spec("sleep 100", { activeDeadlineSeconds: 5 }));
  await world.pass(6_000);
  assert.deepEqual(conditionTypes(world), [
    "FailureTarget True DeadlineExceeded",
    "Failed True DeadlineExceeded",
  ]);
  assert.deepEqual(pods(world), []);
});

test("a failure policy fails the Job at once or looks away", async () => {
  for (const [action, expected] of [
    ["FailJob", ["FailureTarget True PodFailurePolicy", "Failed True PodFailurePolicy"]],
    ["Ignore", []],
  ] as const) {
    using world = await startWorld({ podReadyDelayMs: 0 });
    const rules = [{ action, onExitCodes: { operator: "In", values: [42] } }];
    await createJob(world, spec("exit 42", { backoffLimit: 1, podFailurePolicy: { rules } }));
    await world.pass(60_000);
    assert.deepEqual(conditionTypes(world), expected);
    assert.equal(job(world).status?.failed, action === "FailJob" ? 1 : undefined);
  }
});

test("a success policy ends an Indexed Job early", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  const successPolicy = { rules: [{ succeededIndexes: "0" }] };
  const facts = { completions: 2, parallelism: 2, completionMode: "Indexed", successPolicy };
  await createJob(world, spec("sleep 1", facts));
  await world.pass(5_000);
  assert.equal(findCondition(job(world).status?.conditions, "SuccessCriteriaMet")?.reason, "SuccessPolicy");
});

test("a suspended Job waits, and a finished one goes after its time", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createJob(world, spec("true", { suspend: true, ttlSecondsAfterFinished: 30 }));
  await world.pass(1_000);
  assert.deepEqual(conditionTypes(world), ["Suspended True JobSuspended"]);
  assert.deepEqual(pods(world), []);
  const now = job(world);
  await world.objects.update(resourceTypes.jobs, { ...now, spec: { ...now.spec, suspend: false } });
  await world.pass(1_000);
  assert.ok(conditionTypes(world).includes("Suspended False JobResumed"));
  assert.ok(conditionTypes(world).includes("Complete True CompletionsReached"));
  await world.pass(30_000);
  assert.deepEqual(world.objects.list(resourceTypes.jobs), []);
});

test("a CronJob starts Jobs on time and keeps a few", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  const metadata = { name: "tick", namespace: "shop" };
  await world.objects.create<CronJob>(resourceTypes.cronJobs, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata,
    spec: { schedule: "*/5 * * * *", successfulJobsHistoryLimit: 2, jobTemplate: { spec: spec("sleep 10") } },
  });
  const cronJob = () => world.objects.get<CronJob>(resourceTypes.cronJobs, "shop", "tick");
  await world.pass(299_000);
  assert.equal(world.objects.list(resourceTypes.jobs).length, 0);
  await world.pass(2_000);
  const [first] = world.objects.list<Job>(resourceTypes.jobs);
  assert.equal(first?.metadata.name, `tick-${Date.parse("2026-01-01T00:05:00Z") / 60_000}`);
  assert.equal(cronJob()?.status?.active?.[0]?.name, first?.metadata.name);
  assert.equal(cronJob()?.status?.lastScheduleTime, "2026-01-01T00:05:00Z");
  await world.pass(1_200_000);
  assert.equal(world.objects.list(resourceTypes.jobs).length, 3);
  assert.equal(cronJob()?.status?.lastSuccessfulTime, "2026-01-01T00:20:10Z");
  await world.pass(60_000);
  assert.equal(world.objects.list(resourceTypes.jobs).length, 2);
});
