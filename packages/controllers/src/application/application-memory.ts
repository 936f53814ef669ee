import type { DiffRules, SyncPlan, SyncState, Targets } from "@capstan/engine";
import type { ApiResource, Cluster, GeneralSettings } from "@capstan/kube";
import type { ApplicationSpec, OperationState } from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import type { LiveComparison } from "./compare-live.ts";
import type { Desired } from "./render-desired.ts";
import { Verdicts } from "./verdicts.ts";

/**
 * How much of a comparison is asked for (argocd-sync.md §1.1): 1 against the last revision, 2 resolves the
 * branch through the revision cache, 3 asks the remote.
 */
export type CompareLevel = 1 | 2 | 3;

export interface BuiltTargets {
  manifests: readonly RenderedManifest[];
  rows: readonly ApiResource[];
  general: GeneralSettings;
  namespace: string;
  targets: Targets;
}

/** What of a running operation is not in the Application itself; all of it can be made anew. */
export interface OperationMemory {
  startedAt: string;
  retryCount: number;
  cluster: Cluster;
  plan: SyncPlan;
  /** deletion-approved when the plan was made: a later approval changes it. */
  approved: string | undefined;
  desired: Desired;
  comparison: LiveComparison;
  state: SyncState;
}

/** What one application's runs hand on to the next. Nothing in it is needed after a restart. */
export class ApplicationMemory {
  readonly verdicts = new Verdicts();
  /** A comparison that events asked for. */
  wanted: { level: CompareLevel; reason: string } | undefined;
  /** A comparison that is due at a time. */
  lookAgain: { atMs: number; level: CompareLevel; reason: string } | undefined;
  desired: Desired | undefined;
  comparison: LiveComparison | undefined;
  /** The parts of the spec that the last comparison was about. */
  comparedSpec: ApplicationSpec | undefined;
  cluster: Cluster | undefined;
  built: BuiltTargets | undefined;
  rules: { general: GeneralSettings; spec: ApplicationSpec; rules: DiffRules } | undefined;
  nextResyncAt: number | undefined;
  nextHardAt: number | undefined;
  /** When what was rendered is asked for again, since it holds secrets. */
  secretsUntil: number | undefined;
  /** Since when the repository has been out of reach. */
  unreachableSince: number | undefined;
  operation: OperationMemory | undefined;
  /** Runs that failed in a row. */
  failures = 0;
  /** Whether the last of them failed for want of a plugin. */
  lacksPlugin = false;
  /** Renders that ran since the beginning. */
  renders = 0;

  want(level: CompareLevel, reason: string): void {
    if (this.wanted === undefined || this.wanted.level < level) this.wanted = { level, reason };
  }

  /** Forgets what a change of cluster or settings makes worthless. */
  reset(): void {
    this.comparison = undefined;
    this.built = undefined;
    this.operation = undefined;
  }
}

export function isRunning(state: OperationState | undefined): boolean {
  return state?.phase === "Running" || state?.phase === "Terminating";
}
