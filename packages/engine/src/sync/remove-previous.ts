import { parseTime } from "@capstan/formats";
import { annotationKeys, finalizers, type Manifest } from "@capstan/model";
import { deletionsOf, type StepInput } from "./step-input.ts";
import type { ApplyTask, SyncAction, SyncStep, SyncTask } from "./sync-plan.ts";
import { describeWait, waitOrRelease } from "./waiting.ts";

/**
 * Hooks of an earlier run that have to go before the tasks can be applied: one that is still being deleted would take
 * no new finalizer. Undefined when none is left.
 */
export function removePrevious(
  { state, liveOf }: StepInput,
  tasks: readonly SyncTask[],
  release: readonly SyncAction[],
): SyncStep | undefined {
  const old = tasks.filter((task) => task.act === "apply").filter((task) => goesBefore({ liveOf }, task));
  if (old.length === 0) return undefined;
  const isUnderWay = ({ metadata }: Manifest): boolean =>
    metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizers.hook) !== true;
  const standing = old.filter(({ key }) => {
    const live = liveOf(key);
    return live !== undefined && !isUnderWay(live);
  });
  const deletions = deletionsOf(standing, liveOf);
  const step = waitOrRelease(state, describeWait("deletion of hook", old), [...release, ...deletions]);
  return step.kind === "wait" ? { ...step, isUntold: true } : step;
}

/** Whether a hook of an earlier run stands where this one is to be made, and has to go first. */
export function goesBefore({ liveOf }: Pick<StepInput, "liveOf">, { hook, key, target }: ApplyTask): boolean {
  const live = hook === undefined ? undefined : liveOf(key);
  if (live === undefined) return false;
  const isLeaving = live.metadata.deletionTimestamp !== undefined;
  return (
    isLeaving || (hook?.deletePolicies.includes("BeforeHookCreation") === true && !isOfOthers(live, target))
  );
}

/**
 * Made after the second in which the operation began, by nobody's sync: a ServiceAccount `default`, say, that the
 * cluster makes again as often as it is deleted. It is applied over, where deleting it would go on for ever.
 */
function isOfOthers({ metadata }: Manifest, target: Manifest): boolean {
  if (metadata.annotations?.[annotationKeys.hookOf] !== undefined) return false;
  const began = parseTime(target.metadata.annotations?.[annotationKeys.hookOf]?.split("/")[0]);
  const made = parseTime(metadata.creationTimestamp);
  return began !== undefined && made !== undefined && made > began;
}
