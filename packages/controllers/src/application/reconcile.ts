import { blocksSync, messageOf } from "@capstan/model";
import { type Outcome, retryAfterMs, runSteps, type Step } from "../loop/outcome.ts";
import type { ApplicationMemory } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import { type ApplicationRun, draftOf } from "./application-run.ts";
import { statusChanged } from "./operation-events.ts";
import { blockUnsafe } from "./steps/block-unsafe.ts";
import { compareWithLive } from "./steps/compare-with-live.ts";
import { decideDue } from "./steps/decide-due.ts";
import { decideOperation } from "./steps/decide-operation.ts";
import { deleteApplication } from "./steps/delete-application.ts";
import { draftHealth } from "./steps/draft-health.ts";
import { loadProject } from "./steps/load-project.ts";
import { normalizeSpec } from "./steps/normalize-spec.ts";
import { renderSources } from "./steps/render-sources.ts";
import { failBlockedOperation, runOperation } from "./steps/run-operation.ts";
import { sayNotHonoured } from "./steps/say-not-honoured.ts";
import { writeDraft } from "./write-draft.ts";

/** What happens to an application, in order. */
export const applicationSteps: readonly Step<ApplicationRun>[] = [
  decideDue,
  deleteApplication,
  normalizeSpec,
  loadProject,
  blockUnsafe,
  renderSources,
  compareWithLive,
  sayNotHonoured,
  draftHealth,
  decideOperation,
  runOperation,
];

interface Input {
  needs: ApplicationNeeds;
  memory: ApplicationMemory;
  key: string;
}

/** One look at an application; false when it is gone. When it is looked at next is in `memory.schedule`. */
export async function reconcileApplication(input: Input, signal: AbortSignal): Promise<boolean> {
  const { needs, memory, key } = input;
  const app = needs.apps.get(key);
  if (!app) return false;
  const run: ApplicationRun = {
    ...input,
    app,
    startedAt: needs.clock.now(),
    draft: draftOf(app),
    due: undefined,
    project: undefined,
    cluster: undefined,
    tenant: undefined,
    timings: {},
    renders: 0,
    refresh: undefined,
  };
  const found = await broughtToAnEnd(() => runSteps(run, timed(run), signal), signal);
  const wrote = await broughtToAnEnd(() => writeDown(run, found, signal), signal);
  const outcome = found.kind === "failed" ? found : wrote;
  scheduleNext(run, outcome);
  if (run.due || outcome.kind === "failed") logRun(run, outcome, memory);
  return true;
}

async function broughtToAnEnd(work: () => Promise<Outcome>, signal: AbortSignal): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", error };
  }
}

/** What was found stands in the Application. */
async function writeDown(run: ApplicationRun, outcome: Outcome, signal: AbortSignal): Promise<Outcome> {
  const { status } = run.app;
  const blocking = (run.draft.status.conditions ?? []).find(blocksSync);
  if (outcome.kind !== "settled" && blocking && !run.memory.operation)
    failBlockedOperation(run, blocking.message);
  if (await writeDraft(run, signal)) statusChanged(run, status);
  return outcome;
}

/** However soon an outcome wants to be looked at again. */
const leastWaitMs = 10;

/** The one place that turns an outcome into the next look. */
function scheduleNext({ due, memory, needs }: ApplicationRun, outcome: Outcome): void {
  const now = needs.clock.now();
  const { schedule } = memory;
  schedule.wakeAt(undefined);
  if (outcome.kind !== "failed") memory.brokenRuns = 0;
  if (outcome.kind === "waiting")
    schedule.wakeAt(now + (Math.max(leastWaitMs, outcome.retryAfterMs) || leastWaitMs));
  if (outcome.kind !== "failed") return;
  const atMs = now + retryAfterMs(memory.brokenRuns);
  memory.brokenRuns += 1;
  schedule.wakeAt(atMs);
  // What it was to do is still to be done.
  if (due) schedule.ask({ ...due, atMs });
}

function timed(run: ApplicationRun): Step<ApplicationRun>[] {
  const { clock } = run.needs;
  return applicationSteps.map((step) => async (given, signal) => {
    const from = clock.now();
    try {
      return await step(given, signal);
    } finally {
      const ms = clock.now() - from;
      if (ms > 0) run.timings[step.name] = ms;
    }
  });
}

function logRun(run: ApplicationRun, outcome: Outcome, memory: ApplicationMemory): void {
  const { needs, key, due, draft, renders, startedAt } = run;
  const ms = needs.clock.now() - startedAt;
  const facts = {
    app: key,
    reason: due?.reason,
    level: due?.level,
    ms,
    renders,
    timings: run.timings,
    revision: draft.status.sync?.revision ?? draft.status.sync?.revisions?.join(),
    sync: draft.status.sync?.status,
    health: draft.status.health?.status,
    ...(memory.failures > 0 ? { failures: memory.failures } : {}),
  };
  needs.metrics.reconciled(run.app, ms);
  if (outcome.kind === "failed")
    needs.log.error({ ...facts, problem: messageOf(outcome.error) }, "reconcile failed");
  else if (outcome.kind === "stalled")
    needs.log.info({ ...facts, problem: outcome.reason }, "reconcile stalled");
  // Looking at it again after each event of its Pods is not news.
  else needs.log[due && due.level >= 2 ? "info" : "debug"](facts, "reconciled");
}
