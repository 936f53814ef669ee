import {
  type ComparedResource,
  type DiffRules,
  diffManifest,
  planSync,
  type SyncPlan,
} from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import {
  type Application,
  apiVersionOf,
  describeFailure,
  type Manifest,
  type Operation,
  type OperationState,
  type RemovalBudget,
  type ResourceKey,
  readSyncOptions,
} from "@capstan/model";
import type { LiveComparison } from "./compare-live.ts";
import { digestOf } from "./digest-of.ts";
import type { RuleUse } from "./jq-deletions.ts";
import type { PlanningNeeds } from "./planning-needs.ts";
import { respectIgnoredFields } from "./respect-ignored-fields.ts";

export interface OperationInput {
  app: Application;
  operation: Operation;
  /** RFC 3339. */
  startedAt: string;
  /** Of the operation, from 0 on. */
  retryCount?: number;
  /** Of the first source. */
  revision: string;
  cluster: TenantCluster;
  comparison: LiveComparison;
  pruneBudget: RemovalBudget;
  /** As in CompareInput. */
  mayShow?: ((live: Manifest) => boolean) | undefined;
}

export interface PlannedOperation {
  plan: SyncPlan;
  /** Why nothing of it may begin; the plan's own problems are in the plan. */
  refusal: Refusal | undefined;
  /** By which an object that the plan writes differs from what is there. */
  ruleUse: RuleUse;
}

/** What the operation ends with. */
export type Refusal = Pick<OperationState, "phase"> & { message: string };

type Needs = Pick<PlanningNeeds, "scripts">;

/** Everything that an operation will do, and what forbids it as a whole (controller/sync.go SyncAppState). */
export async function planOperation(
  { scripts }: Needs,
  input: OperationInput,
  signal: AbortSignal,
): Promise<PlannedOperation> {
  const {
    app,
    operation,
    startedAt,
    retryCount = 0,
    revision,
    cluster,
    comparison,
    pruneBudget,
    mayShow,
  } = input;
  const { discovery } = cluster.client;
  const liveOf = (key: ResourceKey): Manifest | undefined => {
    const live = cluster.live.get(key);
    return live && mayShow?.(live) !== false ? live : undefined;
  };
  const ruleUse = writingRules(operation, comparison);
  const writing = (rules: DiffRules) => resourcesOf(comparison, rules);
  const plan = planSync({
    app,
    operation,
    startedAt,
    retryCount,
    revision,
    pruneBudget,
    digestOf,
    resources: await scripts.jq.settled(ruleUse, writing, signal),
    hooks: comparison.hooks,
    liveOf,
    destinationNamespace: cluster.live.get({
      group: "",
      kind: "Namespace",
      namespace: "",
      name: app.spec.destination.namespace ?? "",
    }),
    kindOf: (apiVersion, kind) =>
      discovery
        .known()
        .find((row) => row.kind === kind && apiVersionOf(row.group, row.version) === apiVersion),
    servedAs: (kind) => discovery.known().filter((row) => row.kind === kind),
    refusalOf: (resource) => cluster.refusalOf(resource),
  });
  return { plan, ruleUse, refusal: refusalOf(input, plan) };
}

function refusalOf({ operation, comparison, cluster }: OperationInput, plan: SyncPlan): Refusal | undefined {
  const failed = sharedRefusal(operation, comparison) ?? pruneRefusal(operation, plan);
  if (failed !== undefined) return { phase: "Failed", message: failed };
  const { actsAs } = cluster;
  return actsAs.kind === "refused" ? { phase: "Error", message: describeFailure(actsAs.failure) } : undefined;
}

/** Revisions that an operation is bound to: those that it resolved before, else those it asks for. */
export function operationRevisions({
  operation,
  syncResult,
}: Pick<OperationState, "operation" | "syncResult">): string[] | undefined {
  for (const named of [syncResult, operation.sync]) {
    if (named?.revisions && named.revisions.length > 0) return named.revisions;
    if (named?.revision) return [named.revision];
  }
  return undefined;
}

/**
 * Whoever asks for a prune is told at once that it is held, and nothing is half done. An automated sync goes on
 * without pruning.
 */
function pruneRefusal({ sync, initiatedBy }: Operation, { prunes }: SyncPlan): string | undefined {
  const isAsked = sync?.prune === true && sync.dryRun !== true && initiatedBy?.automated !== true;
  return isAsked && prunes.kind === "held" ? prunes.message : undefined;
}

function sharedRefusal({ sync }: Operation, { conditions }: LiveComparison): string | undefined {
  if (!readSyncOptions(sync?.syncOptions).failOnSharedResource) return undefined;
  const shared = conditions.filter(({ type }) => type === "SharedResourceWarning");
  if (shared.length === 0) return undefined;
  return `Shared resource found: ${shared.map(({ message }) => message).join("; ")}`;
}

/** What a sync writes is all that git says, ignored or not, unless it is to respect what is ignored. */
function writingRules({ sync }: Operation, { ruleUse }: LiveComparison): RuleUse {
  return readSyncOptions(sync?.syncOptions).respectIgnoreDifferences
    ? ruleUse
    : { ...ruleUse, rules: { ...ruleUse.rules, ignoreDifferences: [] } };
}

/** Each with the target that will be written, and what that changes. */
function resourcesOf(
  { resources, ruleUse }: LiveComparison,
  writing: DiffRules,
): readonly ComparedResource[] {
  if (ruleUse.rules.ignoreDifferences.length === 0) return resources;
  const respects = writing.ignoreDifferences.length > 0;
  return resources.map((resource) => {
    const { target, live, diff } = resource;
    if (!target || !live) return resource;
    if (respects) return { ...resource, target: respectIgnoredFields(target, live, writing) };
    if (diff?.verdict !== "same") return resource;
    const whole = diffManifest(target, live, writing);
    return whole.verdict === "modified" ? { ...resource, diff: whole } : resource;
  });
}
