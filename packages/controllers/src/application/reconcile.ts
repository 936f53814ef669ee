import { tellStep, traced, tracedFrom, traceparent } from "@capstan/flow";
import { annotationKeys, blocksSync } from "@capstan/model";
import { type Outcome, settled } from "../loop/outcome.ts";
import { type ApplicationMemory, isRunning } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import {
  type ApplicationRun,
  beginRun,
  type ComparedRun,
  type DueRun,
  type LoadedRun,
  setConditions,
} from "./application-run.ts";
import { compareResult } from "./compare-result.ts";
import { concludeFrom, findOut } from "./find-out.ts";
import { statusChanged } from "./operation-events.ts";
import { comparisonFailed, deletionFailed, endRun, specRefused } from "./run-end.ts";
import { tryWholeStatus } from "./shorten-status.ts";
import { stillStands } from "./standing.ts";
import { blockUnsafe } from "./steps/block-unsafe.ts";
import { decideDue } from "./steps/decide-due.ts";
import { deleteApplication } from "./steps/delete-application.ts";
import { loadProject } from "./steps/load-project.ts";
import { normalizeSpec } from "./steps/normalize-spec.ts";
import { failBlockedOperation, lookAtResult, runOperation } from "./steps/run-operation.ts";
import { timed } from "./timed.ts";
import { writeDraft } from "./write-draft.ts";

interface Input {
  needs: ApplicationNeeds;
  memory: ApplicationMemory;
  key: string;
}

/** One look at an application, which breaks off when another controller may have it by now. */
export async function reconcileWhileHeld(
  input: Input,
  signal: AbortSignal,
): Promise<"looked at" | "gone" | "left"> {
  const held = input.needs.shard?.signal;
  const either = held ? AbortSignal.any([signal, held]) : signal;
  input.memory.isLookedAt = true;
  try {
    return (await reconcileApplication(input, either)) ? "looked at" : "gone";
  } catch (error) {
    if (signal.aborted || held?.aborted !== true) throw error;
    return "left";
  } finally {
    input.memory.isLookedAt = false;
  }
}

/** One look at an application; false when it is gone. When it is looked at next is in `memory.schedule`. */
async function reconcileApplication(input: Input, signal: AbortSignal): Promise<boolean> {
  const { needs, key } = input;
  const app = needs.apps.get(key);
  if (!app) return false;
  const run = beginRun({ ...input, app });
  const due = decideDue(run);
  if (!due) await bringToAnEnd(run, undefined, signal);
  else {
    const facts = { app: key, reason: due.compare?.reason, level: due.compare?.level };
    await tracedFrom(followedBy(due), { name: "reconcile", facts }, () => bringToAnEnd(run, due, signal));
  }
  return true;
}

async function bringToAnEnd(
  run: ApplicationRun,
  due: DueRun | undefined,
  signal: AbortSignal,
): Promise<void> {
  run.memory.looked = traceparent();
  const found = await broughtToAnEnd(async () => (due ? look(due, signal) : settled), signal);
  const wrote = await broughtToAnEnd(
    () => traced({ name: "write" }, () => writeDown(run, found, signal)),
    signal,
  );
  run.memory.leftAt = run.app.metadata.resourceVersion;
  endRun(run, due?.compare, found.kind === "failed" ? found : wrote);
  const { sync, health, operationState } = run.draft.status;
  const facts = {
    revision: sync?.revision ?? sync?.revisions?.join(),
    sync: sync?.status,
    renders: run.renders,
  };
  tellStep({ ...facts, health: health?.status, operation: operationState?.phase });
}

/** The trace that it goes on with: of who asked for the look, or of the sync that is under way. */
function followedBy({ run: { draft, memory, app }, compare }: DueRun): string | undefined {
  const isRun = isRunning(app.status?.operationState);
  const isAsked = draft.answered !== undefined || (app.operation !== undefined && !isRun);
  if (isAsked) return app.metadata.annotations?.[annotationKeys.traceparent];
  return (isRun ? memory.followed : undefined) ?? compare?.followed;
}

/** What happens to an application, in order. */
async function look({ run, compare }: DueRun, signal: AbortSignal): Promise<Outcome> {
  if (run.app.metadata.deletionTimestamp !== undefined)
    return (await finishSync(run, signal)) ?? takeAway(run, signal);
  normalizeSpec(run);
  const loaded = loadProject(run);
  if ("problems" in loaded) return specRefused(run, loaded.problems);
  blockUnsafe(loaded);
  if (compare && !(await stillStands(loaded, compare, signal))) {
    let compared: ComparedRun;
    try {
      compared = await findOut(loaded, compare, signal);
    } catch (error) {
      signal.throwIfAborted();
      return comparisonFailed(run, error) ?? operate(loaded, signal);
    }
    if (!run.isAsCompared) tryWholeStatus(run);
    concludeFrom(compared);
  }
  return operate(loaded, signal);
}

async function takeAway(run: ApplicationRun, signal: AbortSignal): Promise<Outcome> {
  try {
    const outcome = await timed(run, "delete", () => deleteApplication(run, signal));
    setConditions(run, ["DeletionError"], []);
    return outcome;
  } catch (error) {
    signal.throwIfAborted();
    return deletionFailed(run, error);
  }
}

/**
 * A sync that has begun comes to its end, or is ended, before the deletion begins: else one would make what the other
 * takes away (controller/appcontroller.go processAppOperationQueueItem). Undefined where there is none.
 */
async function finishSync(run: ApplicationRun, signal: AbortSignal): Promise<Outcome | undefined> {
  if (!isUnderWay(run)) return undefined;
  const loaded = loadProject(run);
  if ("problems" in loaded) return undefined;
  blockUnsafe(loaded);
  const { name, namespace } = run.app.metadata;
  const message = `The deletion waits for the end of the sync that is under way: capstan app terminate-op ${namespace}/${name} ends it`;
  setConditions(run, ["DeletionError"], [{ type: "DeletionError", message }]);
  return operate(loaded, signal);
}

function isUnderWay({ draft: { status }, memory }: ApplicationRun): boolean {
  const state = status.operationState;
  if (!isRunning(state) || state?.finishedAt !== undefined) return false;
  return memory.operation !== undefined || (state?.syncResult?.resources ?? []).length > 0;
}

async function operate(loaded: LoadedRun, signal: AbortSignal): Promise<Outcome> {
  const { run } = loaded;
  const outcome = await timed(run, "operate", () => runOperation(loaded, signal));
  if (run.hasSynced && !(await compareResult(loaded, signal))) lookAtResult(run);
  return outcome;
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
