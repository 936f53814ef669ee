import { growingPause, tellStep } from "@capstan/flow";
import { isCapstanError, messageOf, sourcesOf } from "@capstan/model";
import type { Outcome } from "../loop/outcome.ts";
import { type ApplicationRun, comparedTo, setConditions } from "./application-run.ts";
import type { DueCompare } from "./comparison-schedule.ts";
import { passingFailure } from "./passing-failure.ts";
import { repoErrorGraceMs } from "./repo-error-grace.ts";

/*
 * How a run ends: the one place that turns failures into conditions and status, and outcomes into the next look and the
 * log line.
 */

/** On an invalid spec nothing is known (controller/appcontroller.go refreshAppConditions). */
export function specRefused(run: ApplicationRun, problems: readonly string[]): Outcome {
  const found = problems.map((message) => ({ type: "InvalidSpecError" as const, message }));
  setConditions(run, ["InvalidSpecError", "UnknownError"], found);
  nothingKnown(run);
  run.memory.comparedSpec = undefined;
  return { kind: "stalled", reason: problems.join("; ") };
}

export function deletionFailed(run: ApplicationRun, error: unknown): Outcome {
  setConditions(run, ["DeletionError"], [{ type: "DeletionError", message: messageOf(error) }]);
  run.memory.failures += 1;
  return { kind: "failed", error };
}

const comparisonRetries = { firstMs: 10_000, longestMs: 180_000 };
/** Slower to begin than controller-runtime's rate limiter: nothing here is urgent twice. */
const runRetries = { firstMs: 500, longestMs: 120_000 };
const withoutPlugin = ["PLUGIN_UNREACHABLE", "PLUGIN_MISSING"] as const;

/**
 * A failure of rendering or of reading the cluster: nothing is known of the application, and nothing is pruned.
 * A repository that is out of reach for a moment leaves the earlier result standing
 * (--repo-error-grace-period-seconds). Undefined where an operation is under way: it has its plan already.
 */
export function comparisonFailed(run: ApplicationRun, error: unknown): Outcome | undefined {
  const { memory, needs, draft } = run;
  const now = needs.clock.now();
  const reason = messageOf(error);
  memory.failures += 1;
  memory.comparedManifests = undefined;
  memory.lacksPlugin = isCapstanError(error, ...withoutPlugin);
  memory.schedule.renewSecretsAt(undefined); // the retry asks for them
  const afterMs = growingPause(memory.failures, comparisonRetries);
  const waiting: Outcome = { kind: "waiting", reason, retryAfterMs: afterMs };
  const away = passingFailure(error);
  if (away !== undefined && memory.desired) {
    memory.unreachableSince ??= now;
    if (now - memory.unreachableSince < repoErrorGraceMs(needs)) {
      needs.log.warn({ app: run.key, problem: reason }, "comparison failed, the earlier result stands");
      memory.schedule.ask({ level: 2, reason: away, atMs: now + afterMs });
      return waiting;
    }
  }
  tellStep({}, reason);
  setConditions(run, ["ComparisonError"], [{ type: "ComparisonError", message: reason }]);
  nothingKnown(run);
  if (draft.status.sync) draft.status.sync.comparedTo = comparedTo(draft, sourcesOf(draft));
  memory.comparison = undefined;
  memory.desired = undefined;
  return memory.operation ? undefined : waiting;
}

function nothingKnown({ draft: { status } }: ApplicationRun): void {
  status.sync = { ...status.sync, status: "Unknown" };
  if (status.health?.status !== "Unknown") status.health = { status: "Unknown" };
}

/** Sets when the application is looked at next, and says how it went. */
export function endRun(run: ApplicationRun, due: DueCompare | undefined, outcome: Outcome): void {
  scheduleNext(run, due, outcome);
  if (due || outcome.kind === "failed") logRun(run, due, outcome);
}

/** However soon an outcome wants to be looked at again. */
const leastWaitMs = 10;

function scheduleNext(
  { memory, needs }: ApplicationRun,
  due: DueCompare | undefined,
  outcome: Outcome,
): void {
  const now = needs.clock.now();
  const { schedule } = memory;
  schedule.wakeAt(undefined);
  if (outcome.kind !== "failed") memory.brokenRuns = 0;
  if (outcome.kind === "waiting")
    schedule.wakeAt(now + (Math.max(leastWaitMs, outcome.retryAfterMs) || leastWaitMs));
  if (outcome.kind !== "failed") return;
  memory.brokenRuns += 1;
  const atMs = now + growingPause(memory.brokenRuns, runRetries);
  schedule.wakeAt(atMs);
  // What it was to do is still to be done.
  if (due) schedule.ask({ ...due, atMs });
}

function logRun(run: ApplicationRun, due: DueCompare | undefined, outcome: Outcome): void {
  const { needs, key, draft, renders, startedAt, memory } = run;
  const ms = needs.clock.now() - startedAt;
  const facts = {
    app: key,
    reason: due?.reason,
    compareLevel: due?.level,
    ms,
    renders,
    timings: run.timings,
    revision: draft.status.sync?.revision ?? draft.status.sync?.revisions?.join(),
    sync: draft.status.sync?.status,
    health: draft.status.health?.status,
    ...(memory.failures > 0 ? { failures: memory.failures } : {}),
  };
  needs.metrics.reconciled(run.app, ms);
  if (outcome.kind === "failed" || outcome.kind === "stalled")
    tellStep({}, outcome.kind === "failed" ? messageOf(outcome.error) : outcome.reason);
  if (outcome.kind === "failed")
    needs.log.error({ ...facts, problem: messageOf(outcome.error) }, "reconcile failed");
  else if (outcome.kind === "stalled")
    needs.log.info({ ...facts, problem: outcome.reason }, "reconcile stalled");
  // Looking at it again after each event of its Pods is not news, nor is a commit that left it as it was.
  else needs.log[due && due.level >= 2 && !run.isAsCompared ? "info" : "debug"](facts, "reconciled");
}
