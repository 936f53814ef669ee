import { requeueAfterMs, stepsOf } from "@capstan/engine";
import { growingPause, tellStep, traced, tracedFrom } from "@capstan/flow";
import { equalJson, parseDuration } from "@capstan/formats";
import { annotationKeys, argoApiVersion, isCapstanError, messageOf } from "@capstan/model";
import {
  type AskFreshness,
  type GeneratedSet,
  generateSet,
  isRollingSet,
  isSetNamespace,
  ownedBy,
  planSet,
} from "@capstan/planning";
import { findProject } from "../project/find-project.ts";
import { applyChanges } from "./apply-changes.ts";
import { deleteSet, holdForOrder } from "./delete-set.ts";
import { rollOut } from "./roll-out.ts";
import type { SetMemory } from "./set-memory.ts";
import { findSet, type SetNeeds, type StoredSet } from "./set-needs.ts";
import { type SetVerdict, tellStatus } from "./set-status.ts";
import { spendAllowance } from "./spend-allowance.ts";

interface SetRun {
  readonly needs: SetNeeds;
  readonly memory: SetMemory;
  readonly key: string;
}

/** After a generator or a template failed, and while an Application cannot be (ReconcileRequeueOnValidationError). */
const retryMs = 180_000;
const defaultRequeueMs = 180_000;
const writePauses = { firstMs: 1_000, longestMs: 120_000 };
const outdatedMs = 200;
/** What another set was told of a branch so short a time ago holds for this one too. */
const freshMs = 30_000;

const noSteps: SetVerdict = {
  kind: "failed",
  reason: "ApplicationSetRolloutError",
  message: "No steps defined for rollout",
  isGenerated: true,
};

/** One look at a set. Resolves to false when there is none. */
export async function reconcileSet(run: SetRun, signal: AbortSignal): Promise<boolean> {
  const { needs, memory, key } = run;
  const set = findSet(needs, key);
  if (!set) return false;
  memory.retryAt = undefined;
  if (!isSetNamespace(needs, set.metadata.namespace ?? "")) {
    memory.generateAt = undefined;
    return true;
  }
  try {
    if (set.metadata.deletionTimestamp) {
      const going = () => deleteSet(needs, { set, owned: ownedBy(needs.live, set) }, signal);
      const againMs = await needs.writers.run(going, signal);
      if (againMs !== undefined) memory.retryAt = needs.clock.now() + againMs;
    } else
      await followed(run, set, async () => bringInLine(run, await holdForOrder(needs, set, signal), signal));
  } catch (error) {
    signal.throwIfAborted();
    memory.failures += 1;
    memory.retryAt = needs.clock.now() + growingPause(memory.failures, writePauses);
    needs.log.warn({ applicationSet: key, problem: messageOf(error) }, "a look at an ApplicationSet failed");
  }
  return true;
}

/** Goes on with the trace of who asked for its generators anew. */
function followed({ key }: SetRun, { metadata }: StoredSet, work: () => Promise<void>): Promise<void> {
  const isAsked = metadata.annotations?.[annotationKeys.applicationSetRefresh] !== undefined;
  const parent = isAsked ? metadata.annotations?.[annotationKeys.traceparent] : undefined;
  return tracedFrom(parent, { name: "reconcile set", facts: { applicationSet: key } }, work);
}

async function bringInLine(run: SetRun, set: StoredSet, signal: AbortSignal): Promise<void> {
  const { needs, memory } = run;
  const failed = await traced({ name: "generate" }, () => generateWhenDue(run, set, signal));
  // The next look has been asked for already.
  if (failed === "outdated") return;
  if (failed?.kind === "failed") tellStep({}, failed.message);
  await needs.writers.run(async () => {
    const write = () => traced({ name: "write" }, () => writeApplications(run, set, signal));
    const verdict = failed ?? (memory.made ? await write() : undefined);
    memory.tellAt = undefined;
    // It may be another since: its own status has been written, or it has gone.
    const newest = findSet(needs, run.key);
    if (!newest || newest.metadata.uid !== set.metadata.uid) return;
    await tellStatus(needs, { set: newest, owned: ownedBy(needs.live, set), verdict }, signal);
  }, signal);
}

/**
 * The failure, if there is one: then nothing is made, changed or deleted until it is mended. "outdated": the set has
 * changed while its generators were asked.
 */
async function generateWhenDue(
  run: SetRun,
  set: StoredSet,
  signal: AbortSignal,
): Promise<SetVerdict | "outdated" | undefined> {
  const { needs, memory } = run;
  const { clock, settings } = needs;
  const isAsked = set.metadata.annotations?.[annotationKeys.applicationSetRefresh] !== undefined;
  // What is asked for from now on is another request.
  if (isAsked) await takeRefresh(needs, set, signal);
  const isChanged = memory.spec !== undefined && !equalJson(memory.spec, set.spec);
  const isDue = memory.generateAt !== undefined && memory.generateAt <= clock.now();
  if (!isAsked && !isChanged && !isDue) return undefined;
  // Whoever wants another look while this one is going on gets it.
  memory.generateAt = undefined;
  const freshness = isAsked
    ? { noRevisionCache: true }
    : isDue
      ? { revisionNotBefore: clock.now() - freshMs }
      : {};
  const generated = await generate(run, { set, freshness }, signal);
  if (generated === "outdated") {
    memory.generateAt = 0;
    return "outdated";
  }
  memory.spec = set.spec;
  if (generated.kind === "failed") {
    memory.made = undefined;
    generateAgain(memory, clock.now() + retryMs);
    const { reason, message } = generated;
    return { kind: "failed", reason, message, isGenerated: false };
  }
  memory.made = generated.applications;
  memory.looksAtAll = true;
  const text = settings.current.params["applicationsetcontroller.requeue.after"] ?? "";
  const again = requeueAfterMs(set, parseDuration(text) ?? defaultRequeueMs);
  if (again !== undefined) generateAgain(memory, clock.now() + again);
  return undefined;
}

async function generate(
  { needs, memory }: SetRun,
  { set, freshness }: { set: StoredSet; freshness: AskFreshness },
  signal: AbortSignal,
): Promise<GeneratedSet | "outdated"> {
  const asking = { ...needs, kube: needs.client, findProject: (name: string) => findProject(needs, name) };
  const over = new AbortController();
  memory.asking = over;
  try {
    const until = AbortSignal.any([signal, over.signal]);
    return await generateSet(asking, { set, freshness, memory: memory.elements }, until);
  } catch (error) {
    if (signal.aborted || !over.signal.aborted) throw error;
    return "outdated";
  } finally {
    memory.asking = undefined;
  }
}

function generateAgain(memory: SetMemory, at: number): void {
  memory.generateAt = Math.min(at, memory.generateAt ?? at);
}

async function takeRefresh({ client, live }: SetNeeds, set: StoredSet, signal: AbortSignal): Promise<void> {
  const { name, namespace } = set.metadata;
  const annotations = { [annotationKeys.applicationSetRefresh]: null, [annotationKeys.traceparent]: null };
  const body = { metadata: { annotations } };
  const ref = { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
  live.observe(await client.patch(ref, { type: "merge", body }, { signal }));
}

async function writeApplications(
  run: SetRun,
  set: StoredSet,
  signal: AbortSignal,
): Promise<SetVerdict | undefined> {
  const { needs, memory, key } = run;
  const isRolling = isRollingSet(needs.settings.current, set);
  if (isRolling && stepsOf(set).length === 0) return noSteps;
  const only = memory.looksAtAll ? undefined : new Set(memory.changed);
  memory.looksAtAll = false;
  memory.changed.clear();
  if (only?.size === 0 && !isRolling) return undefined;
  const planning = { ...needs, findProject: (name: string) => findProject(needs, name) };
  const input = { set, generated: memory.made ?? [], only, memory: memory.elements };
  const plan = await planSet(planning, input, signal).catch((error: unknown) => unplanned(run, error));
  if ("kind" in plan) return plan;
  const held = plan.deletions.kind === "held" ? { held: plan.deletions.message } : {};
  if (only) for (const name of only) memory.problems.delete(name);
  else memory.problems.clear();
  for (const { name, message } of plan.problems) memory.problems.set(name, message);
  const { problems, made = [] } = memory;
  const { changes, conditions, againMs } = await rollOut(needs, { key, set, made, plan, problems }, signal);
  if (againMs !== undefined) memory.retryAt = needs.clock.now() + againMs;
  const said = { ...held, ...(conditions ? { rollout: conditions } : {}) };
  const { failure, isOutdated } = await applyChanges(needs, { set, changes }, signal);
  if (failure || isOutdated) memory.looksAtAll = true;
  if (isOutdated) memory.retryAt = needs.clock.now() + outdatedMs;
  if (failure) {
    memory.failures += 1;
    memory.retryAt = needs.clock.now() + growingPause(memory.failures, writePauses);
    return { kind: "failed", ...failure, ...said, isGenerated: true };
  }
  memory.failures = 0;
  if (!isOutdated) await spendAllowance(needs, { set, deletions: plan.deletions }, signal);
  return { ...verdictOf(run), ...said };
}

/** What the set ignores cannot be told: nothing is compared, and it is tried again. */
function unplanned({ needs, memory }: SetRun, error: unknown): SetVerdict {
  memory.looksAtAll = true;
  if (!isCapstanError(error, "INVALID_SPEC")) throw error;
  memory.retryAt = needs.clock.now() + retryMs;
  const reason = "ApplicationGenerationFromParamsError";
  return { kind: "failed", reason, message: messageOf(error), isGenerated: false };
}

/** One message for all that cannot be: the last, as Argo CD tells it. */
function verdictOf({ needs, memory }: SetRun): SetVerdict {
  const problems = [...memory.problems].sort(([one], [other]) => (one < other ? -1 : 1));
  const last = problems.at(-1)?.[1];
  if (last === undefined) return { kind: "upToDate" };
  generateAgain(memory, needs.clock.now() + retryMs);
  const message = problems.length > 1 ? `${last} (and ${problems.length - 1} more)` : last;
  return { kind: "failed", reason: "ApplicationValidationError", message, isGenerated: true };
}
