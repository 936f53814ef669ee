import type { SyncPlan, SyncState } from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import type { Application, ApplicationSpec, OperationState } from "@capstan/model";
import { ComparisonMemory, type Desired, type KnownDesired, type LiveComparison } from "@capstan/planning";
import { ComparisonSchedule } from "./comparison-schedule.ts";

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
  /** When its last wave was applied, where the next one is to wait after it. */
  pausedAt: number | undefined;
}

/** What one application's runs hand on to the next. Nothing in it is needed after a restart. */
export class ApplicationMemory {
  comparisons = new ComparisonMemory();
  readonly schedule = new ComparisonSchedule();
  desired: Desired | undefined;
  /** It was found to be as an earlier process left it, which had compared it. Without meaning once there is `desired`. */
  stands: KnownDesired | undefined;
  /** The version of the Application that its last look left. */
  leftAt: string | undefined;
  /** It is being looked at. */
  isLookedAt = false;
  /** When a commit that it does not know yet was seen: older answers of the remote do not count. */
  newerSeenAt: number | undefined;
  /** When its interval last began: what the remote was asked before does not count when it is over. */
  polledAt: number | undefined;
  comparison: LiveComparison | undefined;
  /** What of `desired` the last comparison was about, where nothing kept it from being complete. */
  comparedManifests: Desired["manifests"] | undefined;
  /** The parts of the spec that the last comparison was about. */
  comparedSpec: ApplicationSpec | undefined;
  /** It is left alone: no push reaches it, and what was asked of the remote before does not count when this ends. */
  isResting = false;
  /** Why its status cannot be written whole. */
  unwritable: string | undefined;
  /** The annotations of which was last said what is not honoured. */
  saidOf: string | undefined;
  cluster: Cluster | undefined;
  /** How many objects of the destination's namespace nobody has, where its project asks for it. */
  orphans: { server: string; namespace: string; count: number } | undefined;
  /** Since when the repository has been out of reach. */
  unreachableSince: number | undefined;
  operation: OperationMemory | undefined;
  /** When the operation began that this process began last. */
  begunAt: string | undefined;
  /** The trace of that, which its later looks go on with. */
  followed: string | undefined;
  /** The last look at it, which those go on with that learn from it. */
  looked: string | undefined;
  /** Its sync waits for other applications. */
  waitsForOthers = false;
  /** Comparisons that failed in a row. */
  failures = 0;
  /** Runs that broke off in a row. */
  brokenRuns = 0;
  /** Whether the last of them failed for want of a plugin. */
  lacksPlugin = false;
  /** Renders that ran since the beginning. */
  renders = 0;

  /** Forgets what a change of cluster or settings makes worthless. */
  reset(): void {
    this.comparison = undefined;
    this.comparedManifests = undefined;
    this.stands = undefined;
    this.comparisons = new ComparisonMemory();
    this.operation = undefined;
  }
}

/**
 * Operations wait for no looks at other applications, nor does what came of them: Argo CD has a queue of their own for them
 * (controller/appcontroller.go appOperationQueue).
 */
export function hasOperation(app: Application | undefined, memory: ApplicationMemory | undefined): boolean {
  if (app?.operation !== undefined || isRunning(app?.status?.operationState)) return true;
  return memory?.schedule.goesFirst ?? false;
}

export function isRunning(state: OperationState | undefined): boolean {
  return state?.phase === "Running" || state?.phase === "Terminating";
}
