import { type ComparedResource, planSync, type SyncPlan } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import {
  type Application,
  apiVersionOf,
  type Manifest,
  type Operation,
  type OperationState,
  type ResourceKey,
  readSyncOptions,
} from "@capstan/model";
import type { LiveComparison } from "./compare-live.ts";
import { respectIgnoredFields } from "./respect-ignored-fields.ts";

export interface OperationInput {
  app: Application;
  operation: Operation;
  /** RFC 3339. */
  startedAt: string;
  /** Of the first source. */
  revision: string;
  cluster: TenantCluster;
  comparison: LiveComparison;
  /** As in CompareInput. */
  mayShow?: ((live: Manifest) => boolean) | undefined;
}

export interface PlannedOperation {
  plan: SyncPlan;
  /** Why nothing of it may begin; the plan's own problems are in the plan. */
  refusal: string | undefined;
}

/** Everything that an operation will do, and what forbids it as a whole (controller/sync.go SyncAppState). */
export function planOperation(input: OperationInput): PlannedOperation {
  const { app, operation, startedAt, revision, cluster, comparison, mayShow } = input;
  const { discovery } = cluster.client;
  const liveOf = (key: ResourceKey): Manifest | undefined => {
    const live = cluster.live.get(key);
    return live && mayShow?.(live) !== false ? live : undefined;
  };
  const plan = planSync({
    app,
    operation,
    startedAt,
    revision,
    resources: resourcesOf(operation, comparison),
    hooks: comparison.hooks,
    liveOf,
    kindOf: (apiVersion, kind) =>
      discovery
        .known()
        .find((row) => row.kind === kind && apiVersionOf(row.group, row.version) === apiVersion),
    refusalOf: (resource) => cluster.refusalOf(resource),
  });
  return { plan, refusal: refusalOf(operation, comparison) };
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

function refusalOf({ sync }: Operation, { conditions }: LiveComparison): string | undefined {
  if (!readSyncOptions(sync?.syncOptions).failOnSharedResource) return undefined;
  const shared = conditions.filter(({ type }) => type === "SharedResourceWarning");
  if (shared.length === 0) return undefined;
  return `Shared resource found: ${shared.map(({ message }) => message).join("; ")}`;
}

function resourcesOf({ sync }: Operation, { resources, rules }: LiveComparison): readonly ComparedResource[] {
  if (!readSyncOptions(sync?.syncOptions).respectIgnoreDifferences) return resources;
  return resources.map((resource) => {
    const { target, live } = resource;
    if (!target || !live) return resource;
    return { ...resource, target: respectIgnoredFields(target, live, rules) };
  });
}
