import { assessHealth, type ComparedResource, permitSource, planSync, printPlan } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import {
  annotationKeys,
  equalJson,
  isCapstanError,
  messageOf,
  type OperationPhase,
  type OperationState,
  operationSources,
  readSyncOptions,
} from "@capstan/model";
import { ApplicationMemory, type OperationMemory } from "./application-memory.ts";
import { type ApplicationRun, draftedApp } from "./application-run.ts";
import { compareLive, type LiveComparison, servedKind } from "./compare-live.ts";
import { operationRevisions, syncResultOf } from "./operation-state.ts";
import { type Desired, givenManifests, renderDesired } from "./render-desired.ts";
import { respectIgnoredFields } from "./respect-ignored-fields.ts";
import { diffRules } from "./steps/compare-with-live.ts";

export type Prepared = { operation: OperationMemory } | { problem: string; phase: OperationPhase };

/** The plan of the running operation: made once, and again after a restart from what the Application says. */
export async function prepareOperation(run: ApplicationRun, signal: AbortSignal): Promise<Prepared> {
  const { memory, draft, cluster, tenant, app } = run;
  const state = draft.status.operationState;
  if (!state || !tenant || !cluster)
    return { phase: "Error", problem: "the application has no project or no cluster" };
  const forbidden = forbiddenSource(run, state);
  if (forbidden) return { phase: "Error", problem: forbidden };
  const approved = app.metadata.annotations?.[annotationKeys.deletionApproved];
  const known = memory.operation;
  const isCurrent =
    known?.startedAt === state.startedAt &&
    known.retryCount === (state.retryCount ?? 0) &&
    known.cluster === cluster &&
    known.approved === approved;
  if (isCurrent) return { operation: known };
  let found: { desired: Desired; comparison: LiveComparison };
  try {
    found = await compareForOperation(run, state, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { phase: "Error", problem: `ComparisonError: ${messageOf(error)}` };
  }
  const options = readSyncOptions(state.operation.sync?.syncOptions);
  const shared = found.comparison.conditions.filter(({ type }) => type === "SharedResourceWarning");
  if (options.failOnSharedResource && shared.length > 0) {
    return {
      phase: "Failed",
      problem: `Shared resource found: ${shared.map(({ message }) => message).join("; ")}`,
    };
  }
  const operation = plannedOperation(run, state, { ...found, approved, cluster, tenant });
  memory.operation = operation;
  return { operation };
}

/** The operation is anybody's to write who may write the Application: its sources are judged as those of the spec. */
function forbiddenSource(run: ApplicationRun, { operation }: OperationState): string | undefined {
  const { project } = run;
  if (!project) return undefined;
  try {
    for (const source of operationSources(draftedApp(run), operation)) permitSource(project, source);
    return undefined;
  } catch (error) {
    if (isCapstanError(error)) return error.message;
    throw error;
  }
}

interface Found extends Pick<OperationMemory, "desired" | "comparison" | "approved" | "cluster"> {
  tenant: TenantCluster;
}

function plannedOperation(run: ApplicationRun, state: OperationState, found: Found): OperationMemory {
  const { needs, draft, key } = run;
  const { tenant, ...rest } = found;
  const { desired, comparison } = rest;
  const plan = planSync({
    app: draftedApp(run),
    operation: state.operation,
    startedAt: state.startedAt,
    revision: desired.revisions[0] ?? "",
    resources: operationResources(run, state, comparison),
    hooks: comparison.hooks,
    liveOf: (resource) => tenant.live.get(resource),
    kindOf: (apiVersion, kind) => servedKind(tenant, apiVersion, kind),
    refusalOf: (resource) => tenant.refusalOf(resource),
  });
  needs.log.info({ app: key, plan: printPlan(plan) }, "sync plan");
  const results = state.syncResult?.resources ?? [];
  const sources = operationSources(draftedApp(run), state.operation);
  draft.status.operationState = {
    ...state,
    syncResult: {
      ...syncResultOf(run.app, { sources, revisions: desired.revisions, operation: state.operation }),
      ...(results.length > 0 ? { resources: results } : {}),
    },
  };
  return {
    ...rest,
    startedAt: state.startedAt,
    retryCount: state.retryCount ?? 0,
    plan,
    state: { results, validated: results.length > 0 },
  };
}

function operationResources(
  run: ApplicationRun,
  { operation }: OperationState,
  { resources }: LiveComparison,
): ComparedResource[] {
  if (!readSyncOptions(operation.sync?.syncOptions).respectIgnoreDifferences) return resources;
  const rules = diffRules(run);
  return resources.map((resource) => {
    const { target, live } = resource;
    if (!target || !live) return resource;
    return { ...resource, target: respectIgnoredFields(target, live, rules) };
  });
}

/** The comparison of this run serves, unless the operation names other sources, revisions or manifests. */
async function compareForOperation(
  run: ApplicationRun,
  state: OperationState,
  signal: AbortSignal,
): Promise<{ desired: Desired; comparison: LiveComparison }> {
  const { memory, needs, project, tenant } = run;
  const app = draftedApp(run);
  const sources = operationSources(app, state.operation);
  const revisions = operationRevisions(state);
  const given = state.operation.sync?.manifests ?? [];
  const { desired, comparison } = memory;
  const isSame =
    desired !== undefined &&
    given.length === 0 &&
    equalJson(sources, desired.sources) &&
    (revisions === undefined || equalJson(revisions, desired.revisions));
  if (isSame && comparison) return { desired, comparison };
  if (!project || !tenant) throw new Error("the application has no project or no cluster");
  const input = { app, project, cluster: tenant, sources, askRemote: false, noCache: false };
  const own =
    given.length > 0
      ? givenManifests(given, sources, revisions ?? desired?.revisions ?? [])
      : await renderDesired(needs, revisions ? { ...input, revisions } : input, signal);
  run.renders += own.renders;
  const compared = await compareLive(
    needs,
    {
      app,
      cluster: tenant,
      desired: own,
      memory: new ApplicationMemory(),
      rules: diffRules(run),
      healthOf: assessHealth,
    },
    signal,
  );
  return { desired: own, comparison: compared };
}
