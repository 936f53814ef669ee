import { parseTime } from "@capstan/formats";
import {
  type Application,
  groupOf,
  keyOf,
  type Manifest,
  type Operation,
  objectSyncOptions,
  type RemovalBudget,
  type ResourceKey,
  readSyncOptions,
  type SyncOperationResource,
  type SyncOptions,
  versionOf,
} from "@capstan/model";
import type { KindFacts } from "../compare/build-targets.ts";
import type { ComparedResource } from "../compare/compare-resources.ts";
import type { DigestOf, RemovalVerdict } from "../consent/judge-removal.ts";
import { isSkippedByHook } from "../marks/hooks.ts";
import { waveOf } from "../marks/waves.ts";
import { decideApply } from "./decide-apply.ts";
import { definedKind } from "./defined-kind.ts";
import { isApproved } from "./is-approved.ts";
import { judgePrunes, prunable } from "./judge-prunes.ts";
import { isNamespaceObject } from "./kind-order.ts";
import { orderTasks } from "./order-tasks.ts";
import { planHook } from "./plan-hook.ts";
import { planNamespace } from "./plan-namespace.ts";
import type { ApplyTask, PruneTask, SkippedPrune, SyncPlan, SyncTask } from "./sync-plan.ts";
import { taskId } from "./task-id.ts";

interface Served {
  readonly group: string;
  readonly version: string;
}

export interface SyncPlanInput {
  app: Application;
  operation: Operation;
  /** RFC 3339; part of the names of hooks with generateName and the limit for confirmations. */
  startedAt: string;
  /** Of the operation, from 0 on. */
  retryCount?: number;
  /** Of the first source. */
  revision: string;
  /** From compareResources. */
  resources: readonly ComparedResource[];
  /** From buildTargets. */
  hooks: readonly Manifest[];
  liveOf: (key: ResourceKey) => Manifest | undefined;
  /** The live namespace that the application goes to; that it is there is no secret, whoever asks. */
  destinationNamespace: Manifest | undefined;
  /** Nothing when the cluster does not know the kind in this version. */
  kindOf: (apiVersion: string, kind: string) => KindFacts | undefined;
  /** In which groups and versions the cluster knows a kind. */
  servedAs?: (kind: string) => readonly Served[];
  /** How much of the application may be pruned. */
  pruneBudget: RemovalBudget;
  digestOf: DigestOf;
  /** Why the project forbids an object; nothing when it permits it. */
  refusalOf: (key: ResourceKey) => string | undefined;
}

/** Pure: turns a comparison and an operation into everything that the sync will do (Argo CD: gitops-engine pkg/sync/sync_context.go getSyncTasks). */
export function planSync(input: SyncPlanInput): SyncPlan {
  const options = readSyncOptions(input.operation.sync?.syncOptions);
  const chosen = input.resources.filter((resource) => isChosen(resource, input, options));
  const prunes = judgePrunes({
    app: input.app,
    resources: input.resources,
    prunes: prunable(chosen, options),
    budget: input.pruneBudget,
    nowMs: parseTime(input.startedAt) ?? 0,
    digestOf: input.digestOf,
  });
  const tasks: SyncTask[] = chosen.flatMap((resource) => planResource(resource, { input, options, prunes }));
  if (runsHooks(input.operation)) {
    for (const hook of input.hooks) tasks.push(...planHook(hook, input, options));
  }
  tasks.push(...planNamespace(input, options));
  const ordered = orderTasks(markUntestable(tasks, input), options);
  return {
    tasks: ordered,
    problems: ordered.flatMap((task) => validate(task, input)),
    dryRun: input.operation.sync?.dryRun === true,
    prunes,
  };
}

/** No hooks with the apply strategy nor in a partial sync (Argo CD: controller/sync.go). */
export function runsHooks({ sync }: Operation): boolean {
  return sync?.syncStrategy?.apply === undefined && (sync?.resources ?? []).length === 0;
}

export function isSelected(
  key: ResourceKey,
  selection: readonly SyncOperationResource[] | undefined,
): boolean {
  if (selection === undefined || selection.length === 0) return true;
  return selection.some(
    ({ group, kind, namespace, name }) =>
      (group ?? "") === key.group &&
      kind === key.kind &&
      name === key.name &&
      ((namespace ?? "") === "" || namespace === key.namespace),
  );
}

function isChosen(resource: ComparedResource, { operation }: SyncPlanInput, options: SyncOptions): boolean {
  if (!isSelected(resource.key, operation.sync?.resources)) return false;
  if (options.applyOutOfSyncOnly && !resource.isOutOfSync) return false;
  if (resource.target !== undefined) return !isSkippedByHook(resource.target);
  return resource.requiresPruning;
}

interface Planning {
  input: SyncPlanInput;
  options: SyncOptions;
  prunes: RemovalVerdict;
}

function planResource(resource: ComparedResource, planning: Planning): SyncTask[] {
  const { target, live } = resource;
  if (target !== undefined) return [planApply(target, resource, planning)];
  return live === undefined ? [] : [planPrune(live, planning)];
}

function planApply(
  target: Manifest,
  { key, live, diff }: ComparedResource,
  { input, options }: Planning,
): ApplyTask {
  return {
    act: "apply",
    id: taskId("Sync", key),
    phase: "Sync",
    wave: waveOf(target),
    key,
    version: versionOf(target.apiVersion),
    target,
    mode: decideApply({ app: input.app, operation: input.operation, options, target, live }),
    change: changeOf(live, diff?.verdict),
    skipDryRun: false,
    ...(live === undefined ? {} : { live }),
  };
}

function changeOf(live: Manifest | undefined, verdict: string | undefined): ApplyTask["change"] {
  if (live === undefined) return "create";
  return verdict === "same" ? "none" : "update";
}

function planPrune(live: Manifest, { input, options, prunes }: Planning): PruneTask | SkippedPrune {
  const key = keyOf(live);
  const basis = {
    id: taskId("Sync", key),
    phase: "Sync",
    wave: waveOf(live),
    key,
    version: versionOf(live.apiVersion),
    live,
  } as const;
  const { prune } = objectSyncOptions(options, live);
  if (input.operation.sync?.prune !== true) {
    return { act: "skip-prune", ...basis, because: "ignored (requires pruning)" };
  }
  if (prune === "forbidden") return { act: "skip-prune", ...basis, because: "ignored (no prune)" };
  if (prunes.kind === "held") return { act: "skip-prune", ...basis, because: "held by the prune budget" };
  return {
    act: "prune",
    ...basis,
    propagation: options.prunePropagationPolicy,
    needsConfirmation: prune === "confirmed" && !isApproved(input.app, input.startedAt),
  };
}

/** A dry run of what depends on a kind or a namespace that this sync makes cannot succeed. */
function markUntestable(tasks: SyncTask[], input: SyncPlanInput): SyncTask[] {
  const namespaces = new Set<string>();
  const kinds = new Set<string>();
  for (const task of tasks) {
    if (task.act !== "apply" || task.live !== undefined) continue;
    // The destination namespace is made before the dry run.
    if (isNamespaceObject(task.target) && task.createsNamespace !== true) namespaces.add(task.key.name);
    const defined = definedKind(task.target);
    if (defined !== undefined) kinds.add(defined);
  }
  return tasks.map((task) => {
    if (task.act !== "apply") return task;
    const skipDryRun =
      namespaces.has(task.key.namespace) ||
      kinds.has(`${task.key.group}/${task.key.kind}`) ||
      input.kindOf(task.target.apiVersion, task.target.kind) === undefined;
    return skipDryRun ? { ...task, skipDryRun } : task;
  });
}

function validate(task: SyncTask, input: SyncPlanInput): { id: string; message: string }[] {
  const { key, id } = task;
  const refusal = task.act === "skip-prune" ? undefined : input.refusalOf(key);
  if (refusal !== undefined) return [{ id, message: refusal }];
  if (task.act !== "apply" || task.createsNamespace === true) return [];
  const { target } = task;
  const facts = input.kindOf(target.apiVersion, target.kind);
  if (facts === undefined) {
    return isToleratedMissing(task, input) ? [] : [{ id, message: unknownKind(target, key, input) }];
  }
  return [];
}

/** In the words of Argo CD (util/argo/argo.go AugmentSyncMsg), which looks in other groups where this one has none. */
function unknownKind(
  { apiVersion, kind }: Manifest,
  { namespace, name }: ResourceKey,
  { servedAs, app }: SyncPlanInput,
): string {
  const group = groupOf(apiVersion);
  const served = servedAs?.(kind) ?? [];
  const known = served.some((one) => one.group === group) ? group : served[0]?.group;
  const start = "The Kubernetes API could not find";
  const where = namespace || app.spec.destination.namespace || "";
  const whom = `for requested resource ${where}/${name}`;
  // Between them the words of the API server itself, for which scripts look.
  if (known === undefined)
    return `${start} ${group}/${kind} ${whom}: ${group === "" ? kind : `${kind}.${group}`} "" not found. Make sure the "${kind}" CRD is installed on the destination cluster.`;
  const versions = served.filter((one) => one.group === known);
  const versionTexts = versions.map(({ version }) => `Version "${version}"`).join(", ");
  return `${start} version "${versionOf(apiVersion)}" of ${group}/${kind} ${whom}. ${versionTexts} of ${known}/${kind} is installed on the destination cluster.`;
}

function isToleratedMissing(task: ApplyTask, { resources, operation }: SyncPlanInput): boolean {
  const general = readSyncOptions(operation.sync?.syncOptions);
  if (objectSyncOptions(general, task.target).skipDryRunOnMissingResource) return true;
  const wanted = `${task.key.group}/${task.key.kind}`;
  return resources.some(({ target }) => target !== undefined && definedKind(target) === wanted);
}
