import { blocksSync, messageOf } from "@capstan/model";
import { type Outcome, runSteps, type Step } from "../loop/outcome.ts";
import type { ApplicationMemory } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import { type ApplicationRun, draftOf } from "./application-run.ts";
import { statusChanged } from "./operation-events.ts";
import { compareWithLive } from "./steps/compare-with-live.ts";
import { decideDue } from "./steps/decide-due.ts";
import { decideOperation } from "./steps/decide-operation.ts";
import { deleteApplication } from "./steps/delete-application.ts";
import { draftHealth } from "./steps/draft-health.ts";
import { loadProject } from "./steps/load-project.ts";
import { normalizeSpec } from "./steps/normalize-spec.ts";
import { renderSources } from "./steps/render-sources.ts";
import { failBlockedOperation, runOperation } from "./steps/run-operation.ts";
import { writeDraft } from "./write-draft.ts";

/** What happens to an application, in order. */
export const applicationSteps: readonly Step<ApplicationRun>[] = [
  decideDue,
  deleteApplication,
  normalizeSpec,
  loadProject,
  renderSources,
  compareWithLive,
  draftHealth,
  decideOperation,
  runOperation,
];

export interface Reconciled {
  outcome: Outcome;
  /** Looked at again no later than this. */
  againAfterMs: number | undefined;
}

interface Input {
  needs: ApplicationNeeds;
  memory: ApplicationMemory;
  key: string;
}

/** One look at an application; undefined when it is gone. */
export async function reconcileApplication(
  input: Input,
  signal: AbortSignal,
): Promise<Reconciled | undefined> {
  const { needs, memory, key } = input;
  const app = needs.apps.get(key);
  if (!app) return undefined;
  const run: ApplicationRun = {
    ...input,
    app,
    startedAt: needs.clock.now(),
    draft: draftOf(app),
    due: undefined,
    project: undefined,
    cluster: undefined,
    timings: {},
    renders: 0,
    refresh: undefined,
    againAfterMs: undefined,
  };
  const outcome = await outcomeOf(run, signal);
  const blocking = (run.draft.status.conditions ?? []).find(blocksSync);
  if (outcome.kind !== "settled" && blocking && !memory.operation)
    failBlockedOperation(run, blocking.message);
  const wrote = await writeDraft(run, signal);
  if (wrote) statusChanged(run, app.status);
  if (run.due) logRun(run, outcome, memory);
  return { outcome, againAfterMs: run.againAfterMs };
}

async function outcomeOf(run: ApplicationRun, signal: AbortSignal): Promise<Outcome> {
  try {
    return await runSteps(run, timed(run), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (run.due) run.memory.want(run.due.level, run.due.reason);
    return { kind: "failed", error };
  }
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
