import { permitSource, printPlan } from "@capstan/engine";
import { equalJson } from "@capstan/formats";
import {
  annotationKeys,
  blocksSync,
  isCapstanError,
  messageOf,
  type OperationPhase,
  type OperationState,
  operationSources,
  pruneBudgetOf,
  sourcesOf,
} from "@capstan/model";
import {
  ComparisonMemory,
  compareLive,
  type Desired,
  type LiveComparison,
  operationRevisions,
  planOperation,
  refuseLocalManifests,
  renderDesired,
} from "@capstan/planning";
import type { OperationMemory } from "./application-memory.ts";
import { draftedApp, type LoadedRun } from "./application-run.ts";
import { meaningsOf } from "./moved-revisions.ts";
import { pruneAllowed } from "./operation-events.ts";
import { blockersText, syncResultOf, usesAllowance } from "./operation-state.ts";

export type Prepared = { operation: OperationMemory } | { problem: string; phase: OperationPhase };

/** The plan of the running operation: made once, and again after a restart from what the Application says. */
export async function prepareOperation(
  loaded: LoadedRun,
  state: OperationState,
  signal: AbortSignal,
): Promise<Prepared> {
  const { memory, app } = loaded.run;
  const forbidden = forbiddenSource(loaded, state);
  if (forbidden) return { phase: "Error", problem: forbidden };
  const approved = app.metadata.annotations?.[annotationKeys.deletionApproved];
  const known = memory.operation;
  const isCurrent =
    known?.startedAt === state.startedAt &&
    known.retryCount === (state.retryCount ?? 0) &&
    known.cluster === loaded.cluster &&
    known.approved === approved;
  if (isCurrent) return { operation: known };
  try {
    const found = await compareForOperation(loaded, state, signal);
    const { unverified } = found.desired;
    if (unverified.length > 0)
      return { phase: "Error", problem: `ComparisonError: ${unverified.join("\n")}` };
    const { conditions } = found.comparison;
    if (conditions.some(blocksSync)) return { phase: "Error", problem: blockersText(conditions) };
    return await plannedOperation(loaded, state, { found: { ...found, approved }, signal });
  } catch (error) {
    signal.throwIfAborted();
    return { phase: "Error", problem: `ComparisonError: ${messageOf(error)}` };
  }
}

/** The operation is anybody's to write who may write the Application: its sources are judged as those of the spec. */
function forbiddenSource({ run, project }: LoadedRun, { operation }: OperationState): string | undefined {
  try {
    for (const source of operationSources(draftedApp(run), operation)) permitSource(project, source);
    return undefined;
  } catch (error) {
    if (isCapstanError(error)) return error.message;
    throw error;
  }
}

type Found = Pick<OperationMemory, "desired" | "comparison" | "approved">;

async function plannedOperation(
  { run, project, cluster, tenant }: LoadedRun,
  state: OperationState,
  { found, signal }: { found: Found; signal: AbortSignal },
): Promise<Prepared> {
  const { needs, draft, key } = run;
  const { desired, comparison } = found;
  const app = draftedApp(run);
  const input = {
    app,
    operation: state.operation,
    startedAt: state.startedAt,
    retryCount: state.retryCount ?? 0,
    revision: desired.revisions[0] ?? "",
    cluster: tenant,
    comparison,
    pruneBudget: pruneBudgetOf(app, project, needs.settings.current.general.pruneBudget),
  };
  const { plan, refusal } = await planOperation(needs, input, signal);
  if (refusal !== undefined) return { phase: refusal.phase, problem: refusal.message };
  needs.log.info({ app: key, plan: printPlan(plan) }, "sync plan");
  if (usesAllowance(plan, state.operation)) pruneAllowed(run, plan.prunes);
  const results = state.syncResult?.resources ?? [];
  const sources = operationSources(app, state.operation);
  draft.status.operationState = {
    ...state,
    syncResult: {
      ...syncResultOf(run.app, {
        sources,
        revisions: desired.revisions,
        meanings: meaningsOf(desired, run.memory.desired),
        operation: state.operation,
      }),
      ...(results.length > 0 ? { resources: results } : {}),
    },
  };
  const operation: OperationMemory = {
    ...found,
    cluster,
    startedAt: state.startedAt,
    pausedAt: undefined,
    retryCount: state.retryCount ?? 0,
    plan,
    state: { results, validated: results.length > 0 },
  };
  run.memory.operation = operation;
  return { operation };
}

/** The comparison of this run serves, unless the operation names other sources, revisions or manifests. */
async function compareForOperation(
  { run, project, tenant }: LoadedRun,
  state: OperationState,
  signal: AbortSignal,
): Promise<{ desired: Desired; comparison: LiveComparison }> {
  const { needs } = run;
  const app = draftedApp(run);
  const sources = operationSources(app, state.operation);
  const revisions = operationRevisions(state);
  const given = state.operation.sync?.manifests ?? [];
  if (given.length > 0) refuseLocalManifests(needs, { project, sources: [...sources, ...sourcesOf(app)] });
  const { desired, comparison } = run.memory;
  const isSame =
    desired !== undefined &&
    desired.broughtAt === undefined &&
    given.length === 0 &&
    equalJson(sources, desired.sources) &&
    (revisions === undefined || equalJson(revisions, desired.revisions));
  if (isSame && comparison) return { desired, comparison };
  const own = await renderDesired(
    needs,
    {
      app,
      project,
      discovery: tenant.client.discovery,
      sources,
      revisions: revisions ?? (given.length > 0 ? desired?.revisions : undefined),
      manifests: given,
    },
    signal,
  );
  run.renders += own.renders;
  const memory = new ComparisonMemory();
  return {
    desired: own,
    comparison: await compareLive(needs, { app, cluster: tenant, desired: own, memory }, signal),
  };
}
