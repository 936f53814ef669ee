import type {
  ApplyMode,
  Manifest,
  OperationPhase,
  ResourceKey,
  ResourceResult,
  SyncOptions,
  SyncPhase,
} from "@capstan/model";
import type { RemovalVerdict } from "../consent/judge-removal.ts";
import type { HookDeletePolicy } from "../marks/hooks.ts";

export type PropagationPolicy = SyncOptions["prunePropagationPolicy"];

interface TaskBasis {
  /** `<phase>/<group>/<kind>/<namespace>/<name>`: what joins a task to its ResourceResult. */
  id: string;
  phase: SyncPhase;
  wave: number;
  key: ResourceKey;
  version: string;
  live?: Manifest;
}

export interface ApplyTask extends TaskBasis {
  act: "apply";
  target: Manifest;
  mode: ApplyMode;
  /** What applying it will mean, as far as the comparison tells. */
  change: "create" | "update" | "none";
  hook?: { deletePolicies: readonly HookDeletePolicy[] };
  /** Its kind or its namespace comes into being in this very sync, so that no dry run is possible before. */
  skipDryRun: boolean;
  /** The destination namespace, made because of CreateNamespace. */
  createsNamespace?: boolean;
}

export interface PruneTask extends TaskBasis {
  act: "prune";
  live: Manifest;
  propagation: PropagationPolicy;
  /** Prune=confirm, and the application does not carry deletion-approved yet. */
  needsConfirmation: boolean;
}

/** Would be pruned, were it permitted. */
export interface SkippedPrune extends TaskBasis {
  act: "skip-prune";
  live: Manifest;
  because: string;
}

export type SyncTask = ApplyTask | PruneTask | SkippedPrune;

/** What a sync will do, in order; a value that printPlan shows and nextStep follows. */
export interface SyncPlan {
  tasks: SyncTask[];
  /** Reasons for which nothing may start. */
  problems: { id: string; message: string }[];
  dryRun: boolean;
  /** Over all that could be pruned, whether this sync prunes or not. */
  prunes: RemovalVerdict;
}

/** What has been done so far; everything in it survives in status.operationState.syncResult. */
export interface SyncState {
  results: ResourceResult[];
  /** The dry run has passed, of all tasks but what is done first. */
  validated: boolean;
  /** Something was refused before anything was changed; only the step that follows asks. */
  dryRunFailed?: boolean;
  /** Whether that would pass which would have been done first is known too. */
  firstTried?: boolean;
}

export const initialSyncState: SyncState = { results: [], validated: false };

export type SyncAction =
  /** Of what `isFirst` a refusal leaves all as it was: nothing of the step is done after it. */
  | { act: "apply"; task: ApplyTask; dryRun: boolean; isFirst?: boolean }
  | { act: "prune"; task: PruneTask; dryRun: boolean }
  /** Remove our finalizer, then delete. */
  | ({ act: "delete-hook" } & HookAction)
  /** Only remove our finalizer. */
  | ({ act: "release-hook" } & HookAction);

export interface HookAction {
  key: ResourceKey;
  version: string;
  /** Of the very object that was judged: another one of its name is not meant. */
  uid: string | undefined;
}

export interface SyncOutcome {
  action: SyncAction;
  ok: boolean;
  /** The API server's answer, as people should read it. */
  message: string;
}

/**
 * "act": run the groups one after another, the actions of a group at the same time, then give the outcomes to
 * recordOutcomes and ask again after `delayMs`. "wait": ask again when a live object changes, and, where `isUntold`, after
 * a moment: the object may be another application's, whose changes nobody tells this one. "done": run the actions, which
 * only tidy up, and write the phase.
 */
export type SyncStep =
  | { kind: "act"; groups: SyncAction[][]; state: SyncState; message: string; delayMs: number }
  | { kind: "wait"; state: SyncState; message: string; isUntold?: boolean }
  | { kind: "done"; phase: OperationPhase; message: string; actions: SyncAction[]; state: SyncState };
