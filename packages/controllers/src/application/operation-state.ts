import { mayRetry, retryDelayMs, type SyncPlan } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import {
  type Application,
  type ApplicationCondition,
  type ApplicationSource,
  annotationKeys,
  blocksSync,
  hasMultipleSources,
  type Operation,
  type OperationPhase,
  type OperationState,
  type RevisionHistory,
  type SyncOperationResult,
} from "@capstan/model";
import type { ApplicationRun } from "./application-run.ts";

const defaultHistoryLimit = 10;

export function newOperationState(operation: Operation, atMs: number): OperationState {
  return { operation, phase: "Running", startedAt: formatTime(atMs) };
}

export function syncResultOf(
  app: Application,
  {
    sources,
    revisions,
    meanings,
    operation,
  }: {
    sources: readonly ApplicationSource[];
    revisions: readonly string[];
    meanings: readonly (string | undefined)[];
    operation: Operation;
  },
): SyncOperationResult {
  const multiple = operation.sync?.sources !== undefined || hasMultipleSources(app.spec);
  const [source] = sources;
  const [revision] = revisions;
  const metadata = app.spec.syncPolicy?.managedNamespaceMetadata;
  const common = {
    ...(metadata ? { managedNamespaceMetadata: metadata } : {}),
    ...(meanings.some((one) => one) ? { meanings: meanings.map((one) => one ?? "") } : {}),
  };
  if (multiple) return { revisions: [...revisions], sources: [...sources], ...common };
  return { ...(revision ? { revision } : {}), ...(source ? { source } : {}), ...common };
}

export function withoutResources({ resources: _, ...result }: SyncOperationResult): SyncOperationResult {
  return result;
}

/** Ends an operation, or arranges its retry. Returns false when it will be tried again. */
export function finishOperation(
  run: ApplicationRun,
  { phase, message, mayBeRetried }: { phase: OperationPhase; message: string; mayBeRetried: boolean },
): boolean {
  const { draft, needs } = run;
  const state = draft.status.operationState;
  if (!state) return true;
  const now = needs.clock.now();
  const count = state.retryCount ?? 0;
  const failed = phase === "Failed" || phase === "Error";
  const plan = run.memory.operation?.plan;
  run.memory.operation = undefined;
  if (failed && mayBeRetried && mayRetry(state.operation, count)) {
    const delayMs = retryDelayMs(state.operation.retry, count);
    draft.status.operationState = {
      ...state,
      phase: "Running",
      message: `${message}. Retrying attempt #${count + 1} at ${formatTime(now + delayMs)}.`,
      finishedAt: formatTime(now),
    };
    return false;
  }
  const tried = count > 0 && failed ? ` (retried ${count} times).` : "";
  draft.status.operationState = {
    ...state,
    phase,
    message: `${message}${tried}`,
    finishedAt: formatTime(now),
  };
  draft.operation = undefined;
  if (plan && usesAllowance(plan, state.operation))
    draft.spentAllowance = run.app.metadata.annotations?.[annotationKeys.pruneAllowed];
  if (phase === "Succeeded") recordHistory(run, draft.status.operationState);
  return true;
}

/** Whether an operation prunes because that was allowed: an allowance is for one, however it ends. */
export function usesAllowance({ prunes, dryRun }: SyncPlan, { sync }: Operation): boolean {
  return prunes.kind === "allowed" && sync?.prune === true && !dryRun;
}

/** Partial syncs and dry runs leave no history (controller/state.go persistRevisionHistory). */
function recordHistory(run: ApplicationRun, state: OperationState): void {
  const { draft } = run;
  const { sync } = state.operation;
  const result = state.syncResult;
  if (!result || sync?.dryRun || (sync?.resources?.length ?? 0) > 0) return;
  const limit = draft.spec.revisionHistoryLimit ?? defaultHistoryLimit;
  const history = draft.status.history ?? [];
  const { revision, revisions, source, sources, meanings } = result;
  const entry: RevisionHistory = {
    id: (history.at(-1)?.id ?? -1) + 1,
    ...(revision === undefined ? {} : { revision }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(source === undefined ? {} : { source }),
    ...(sources === undefined ? {} : { sources }),
    ...(meanings === undefined ? {} : { meanings }),
    deployStartedAt: state.startedAt,
    deployedAt: state.finishedAt ?? formatTime(run.needs.clock.now()),
    ...(state.operation.initiatedBy ? { initiatedBy: state.operation.initiatedBy } : {}),
  };
  const kept = limit <= 0 ? [] : [...history, entry].slice(-limit);
  if (kept.length > 0) draft.status.history = kept;
  else delete draft.status.history;
}

/** As Argo CD says them (util/argo/argo.go FormatAppConditions). */
export function blockersText(conditions: readonly Pick<ApplicationCondition, "type" | "message">[]): string {
  return conditions
    .filter(blocksSync)
    .map(({ type, message }) => `${type}: ${message}`)
    .join(";");
}
