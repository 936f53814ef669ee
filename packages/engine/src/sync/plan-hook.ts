import { parseTime } from "@capstan/formats";
import {
  annotationKeys,
  finalizers,
  keyOf,
  type Manifest,
  type SyncOptions,
  type SyncPhase,
  versionOf,
} from "@capstan/model";
import { hookDeletePolicies, hookPhases } from "../marks/hooks.ts";
import { waveOf } from "../marks/waves.ts";
import { decideApply } from "./decide-apply.ts";
import type { SyncPlanInput } from "./plan-sync.ts";
import type { ApplyTask } from "./sync-plan.ts";
import { taskId } from "./task-id.ts";

/** One task for each phase in which the hook runs. */
export function planHook(hook: Manifest, input: SyncPlanInput, options: SyncOptions): ApplyTask[] {
  return hookPhases(hook).map((phase) => {
    const target = withMark(withFinalizer(nameHook(hook, phase, input)), phase, input);
    const key = keyOf(target);
    const live = input.liveOf(key);
    return {
      act: "apply",
      id: taskId(phase, key),
      phase,
      wave: waveOf(hook),
      key,
      version: versionOf(hook.apiVersion),
      target,
      mode: decideApply({ app: input.app, operation: input.operation, options, target, live }),
      change: "create",
      hook: { deletePolicies: [...hookDeletePolicies(hook)] },
      skipDryRun: false,
      ...(live === undefined ? {} : { live }),
    };
  });
}

type DeleteHookPhase = "PreDelete" | "PostDelete";

/** The name is the same at every step of an operation, or of a deletion (gitops-engine sync_context.go getHookName). */
export function nameHook(
  hook: Manifest,
  phase: SyncPhase | DeleteHookPhase,
  { revision, startedAt }: Pick<SyncPlanInput, "revision" | "startedAt">,
): Manifest {
  const { name, generateName = "" } = hook.metadata;
  if ((name ?? "") !== "") return hook;
  const seconds = Math.floor((parseTime(startedAt) ?? 0) / 1000);
  const suffix = `${revision.slice(0, 7)}-${phase}-${seconds}`.toLowerCase();
  const { generateName: _prefix, ...metadata } = hook.metadata;
  return { ...hook, metadata: { ...metadata, name: `${generateName}${suffix}` } };
}

/**
 * By which it is known after a kill that it was made for this very operation (`adoptHooks`). Where controllers' clocks
 * differ, an operation of one may have begun at another's second: the last deployment before it tells them apart.
 */
function withMark(hook: Manifest, phase: SyncPhase, input: SyncPlanInput): Manifest {
  const { startedAt, retryCount = 0, app } = input;
  const annotations = { ...hook.metadata.annotations };
  const after = app.status?.history?.at(-1)?.id ?? "";
  annotations[annotationKeys.hookOf] = `${startedAt}/${retryCount}/${phase}/${after}`;
  return { ...hook, metadata: { ...hook.metadata, annotations } };
}

function withFinalizer(hook: Manifest): Manifest {
  const present = hook.metadata.finalizers ?? [];
  if (present.includes(finalizers.hook)) return hook;
  return { ...hook, metadata: { ...hook.metadata, finalizers: [...present, finalizers.hook] } };
}
