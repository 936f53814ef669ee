import { equalJson, parseTime } from "@capstan/formats";
import {
  type Application,
  comparedRevisions,
  hasMultipleSources,
  isAutomated,
  type Operation,
  type OperationState,
  type ResourceStatus,
  revisionFields,
  type SyncOperationResource,
  sourceFields,
} from "@capstan/model";
import type { RemovalVerdict } from "../consent/judge-removal.ts";
import { defaultSelfHealBackoff, type SelfHealBackoff, selfHealDelayMs } from "./retry.ts";

export interface AutoSyncInput {
  /** With the status of the comparison that was just made. */
  app: Application;
  nowMs: number;
  /** False when the files that the application reads did not change between the two revisions. */
  revisionMatters?: boolean;
  selfHealBackoff?: SelfHealBackoff;
  /** Over all that could be pruned; absent: within the budget. */
  prunes?: RemovalVerdict["kind"];
}

export type AutoSyncDecision =
  | { kind: "none"; because: string }
  | { kind: "sync"; operation: Operation; because: string }
  /** Self-heal waits for its turn. */
  | { kind: "later"; retryAfterMs: number; because: string }
  /** A SyncError condition. */
  | { kind: "error"; message: string };

const none = (because: string): AutoSyncDecision => ({ kind: "none", because });

/** Whether to start a sync by ourselves (Argo CD: controller/appcontroller.go autoSync). */
export function decideAutoSync(input: AutoSyncInput): AutoSyncDecision {
  const { app } = input;
  const automated = app.spec.syncPolicy?.automated;
  if (automated === undefined || !isAutomated(app)) return none("automated sync is off");
  if (app.operation !== undefined) return none("another operation is in progress");
  if (app.metadata.deletionTimestamp !== undefined) return none("the application is being deleted");
  const sync = app.status?.sync;
  if (sync?.status !== "OutOfSync") return none(`the application is ${sync?.status ?? "not compared yet"}`);
  const resources = app.status?.resources ?? [];
  const differing = resources.filter(({ status }) => status !== "Synced");
  const isHeld = automated.prune === true && input.prunes === "held";
  if (
    (automated.prune !== true || isHeld) &&
    differing.length > 0 &&
    differing.every((one) => one.requiresPruning === true)
  ) {
    const because = `only objects to prune are out of sync, and pruning is ${isHeld ? "held" : "off"}`;
    return wipesOut(input) ?? none(because);
  }
  const attempt = lastAttempt(input);
  if (attempt !== undefined) return afterAttempt(input, { attempt, differing });
  return start(input, newOperation(app), "the application is out of sync");
}

/** The last operation, when it was about what would be synced now. */
function lastAttempt({ app, revisionMatters }: AutoSyncInput): OperationState | undefined {
  const state = app.status?.operationState;
  if (state === undefined) return undefined;
  const result = state.syncResult;
  if (result === undefined) return state.phase === "Running" ? undefined : state;
  const isMultiple = hasMultipleSources(app.spec);
  const sameSource = isMultiple
    ? equalJson(result.sources ?? [], app.spec.sources ?? [])
    : equalJson(result.source, app.status?.sync?.comparedTo?.source ?? app.spec.source);
  const attempted = isMultiple ? (result.revisions ?? []) : [result.revision ?? ""];
  const sameRevision = revisionMatters === false || equalJson(attempted, comparedRevisions(app));
  return sameSource && sameRevision ? state : undefined;
}

interface Attempted {
  attempt: OperationState;
  differing: readonly ResourceStatus[];
}

function afterAttempt(input: AutoSyncInput, { attempt, differing }: Attempted): AutoSyncDecision {
  const { app } = input;
  const isAllowed = app.spec.syncPolicy?.automated?.prune === true && input.prunes === "allowed";
  if (isAllowed) return again(input, { attempt, because: "what it prunes was allowed" });
  if (attempt.phase !== "Succeeded") {
    // It broke before anything was applied, as where the repository was away; Argo CD leaves it at that.
    if (attempt.phase === "Error" && attempt.syncResult === undefined)
      return again(input, { attempt, because: "nothing was applied yet" });
    const revision = comparedRevisions(app).join(", ");
    return {
      kind: "error",
      message: `Failed last sync attempt to [${revision}]: ${attempt.message ?? ""} (retried when the revision or the source changes)`,
    };
  }
  if (app.spec.syncPolicy?.automated?.selfHeal !== true) {
    return none("this revision was synced already, and self-heal is off");
  }
  // Without a namespace, as Argo CD does: objects of the same name elsewhere are synced along.
  const resources = differing.map(selectionOf);
  return again(input, { attempt, resources, because: "live objects drifted from the synced revision" });
}

interface Again {
  attempt: OperationState;
  because: string;
  resources?: SyncOperationResource[];
}

/** Each attempt waits longer than the one before. */
function again(input: AutoSyncInput, { attempt, because, resources }: Again): AutoSyncDecision {
  const { nowMs, selfHealBackoff = defaultSelfHealBackoff } = input;
  const attempts = attempt.operation.sync?.autoHealAttemptsCount ?? 0;
  const finished = parseTime(attempt.finishedAt) ?? nowMs;
  const waitMs = finished + selfHealDelayMs(attempts, selfHealBackoff) - nowMs;
  if (waitMs > 0) return { kind: "later", retryAfterMs: waitMs, because: "self-heal backs off" };
  const operation = newOperation(input.app);
  operation.sync = {
    ...operation.sync,
    ...(resources ? { resources } : {}),
    autoHealAttemptsCount: attempts + 1,
  };
  return start(input, operation, because);
}

function selectionOf({ group, kind, name }: ResourceStatus): SyncOperationResource {
  return { ...(group === undefined ? {} : { group }), kind: kind ?? "", name: name ?? "" };
}

function newOperation(app: Application): Operation {
  const { syncPolicy } = app.spec;
  return {
    sync: {
      ...sourceFields(app.spec),
      ...revisionFields(app.spec, comparedRevisions(app)),
      prune: syncPolicy?.automated?.prune === true,
      ...(syncPolicy?.syncOptions === undefined ? {} : { syncOptions: syncPolicy.syncOptions }),
    },
    initiatedBy: { automated: true },
    retry: syncPolicy?.retry ?? { limit: 5 },
  };
}

function start(input: AutoSyncInput, operation: Operation, because: string): AutoSyncDecision {
  return wipesOut(input) ?? { kind: "sync", operation, because };
}

/** An empty render must not take everything away unless allowEmpty, or whoever was asked about it, says that it may. */
function wipesOut({ app, prunes }: AutoSyncInput): AutoSyncDecision | undefined {
  const automated = app.spec.syncPolicy?.automated;
  const resources = (app.status?.resources ?? []).filter(({ hook }) => hook !== true);
  const isEmpty = resources.length > 0 && resources.every((one) => one.requiresPruning === true);
  if (automated?.prune !== true || automated.allowEmpty === true || prunes === "allowed" || !isEmpty)
    return undefined;
  return {
    kind: "error",
    message:
      "Skipping sync attempt: auto-sync will wipe out all resources. Set syncPolicy.automated.allowEmpty if that is meant",
  };
}
