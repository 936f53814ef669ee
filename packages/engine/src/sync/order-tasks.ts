import { objectSyncOptions, type SyncOptions, type SyncPhase, syncPhases } from "@capstan/model";
import { definedKind } from "./defined-kind.ts";
import { isNamespaceObject, kindRank } from "./kind-order.ts";
import type { PruneTask, SkippedPrune, SyncTask } from "./sync-plan.ts";
import { taskId } from "./task-id.ts";

const phaseRank: ReadonlyMap<SyncPhase, number> = new Map(syncPhases.map((phase, index) => [phase, index]));

/** Phase, wave, kind, name; prunes in the opposite order of waves; what others need before them (Argo CD: gitops-engine pkg/sync/sync_tasks.go). */
export function orderTasks(tasks: readonly SyncTask[], options: SyncOptions): SyncTask[] {
  const waved = pruneLast(mirrorPrunes(tasks), options).sort(compareTasks);
  return advance(advance(waved, namespaceUser), kindUser);
}

export function compareTasks(left: SyncTask, right: SyncTask): number {
  return (
    (phaseRank.get(left.phase) ?? 0) - (phaseRank.get(right.phase) ?? 0) ||
    left.wave - right.wave ||
    kindRank(left.key.kind) - kindRank(right.key.kind) ||
    compareText(left.key.name, right.key.name) ||
    compareText(left.id, right.id)
  );
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** What may not be pruned stands where it would be (gitops-engine sync_task.go isPrune). */
const isPrune = (task: SyncTask): task is PruneTask | SkippedPrune => task.act !== "apply";

/** Distinct waves of the prunes, lowest and highest swapped: taken down in the opposite order of building up. */
function mirrorPrunes(tasks: readonly SyncTask[]): SyncTask[] {
  const waves = [...new Set(tasks.filter(isPrune).map(({ wave }) => wave))];
  waves.sort((left, right) => left - right);
  return tasks.map((task) => {
    if (!isPrune(task)) return task;
    return { ...task, wave: waves[waves.length - 1 - waves.indexOf(task.wave)] ?? task.wave };
  });
}

function pruneLast(tasks: readonly SyncTask[], options: SyncOptions): SyncTask[] {
  const last = Math.max(0, ...tasks.filter(({ phase }) => phase === "Sync").map(({ wave }) => wave)) + 1;
  return tasks.map((task) => {
    if (!isPrune(task)) return task;
    return objectSyncOptions(options, task.live).pruneLast ? { ...task, wave: last } : task;
  });
}

type Uses = (provider: SyncTask) => ((user: SyncTask) => boolean) | undefined;

const namespaceUser: Uses = (provider) => {
  if (provider.act !== "apply" || !isNamespaceObject(provider.target)) return undefined;
  return ({ key }) => key.namespace === provider.key.name;
};

const kindUser: Uses = (provider) => {
  const kind = provider.act === "apply" ? definedKind(provider.target) : undefined;
  return kind === undefined ? undefined : ({ key }) => `${key.group}/${key.kind}` === kind;
};

/**
 * A Namespace or CRD that stands behind the first object that needs it moves in front of that object and takes its
 * phase and wave (gitops-engine sync_tasks.go adjustDeps).
 */
function advance(tasks: readonly SyncTask[], uses: Uses): SyncTask[] {
  const ordered = [...tasks];
  for (const provider of tasks) {
    const isUser = uses(provider);
    if (isUser === undefined) continue;
    const from = ordered.indexOf(provider);
    const to = ordered.findIndex((task) => task.act === "apply" && isUser(task));
    const user = ordered[to];
    if (user === undefined || to > from) continue;
    ordered.splice(from, 1);
    ordered.splice(to, 0, {
      ...provider,
      id: taskId(user.phase, provider.key),
      phase: user.phase,
      wave: user.wave,
    });
  }
  return ordered;
}
