/**
 * What a sync would do, in the order it would do it: the same plan that the controller follows.
 * Ours alone; Argo CD has no such call.
 */
export interface SyncPlanPreview {
  /** Commit, chart version or digest that the plan is made from; one per source where there are several. */
  revision: string;
  revisions?: string[];
  steps: SyncPlanStep[];
  counts: { create: number; update: number; delete: number; hook: number; unchanged: number };
  /** What keeps the sync from starting now, as sentences: a sync window, a condition, a running operation. */
  blockedBy: string[];
  warnings: string[];
  /** A sync with prune would prune more than it may; the code is what `capstan app allow-prune` takes. */
  heldPrunes?: { code: string; message: string };
  /** The plan as the log and `capstan app sync --dry-run` print it. */
  text: string;
}

export interface SyncPlanStep {
  phase: "PreSync" | "Sync" | "PostSync" | "SyncFail";
  wave: number;
  /** keep: left alone, `because` says why (a prune that was not asked for, for one). */
  act: "create" | "update" | "replace" | "delete" | "hook" | "unchanged" | "keep";
  group: string;
  version: string;
  kind: string;
  namespace: string;
  name: string;
  because?: string;
  /** Fields that change, each as JSON texts; absent for hooks and where nothing changes. */
  fields?: { path: string; desired?: string; live?: string }[];
  /** JSON texts, Secrets masked. */
  targetState?: string;
  liveState?: string;
  /** What a change would make of the live object, with what the API server fills in; absent where it cannot be known. */
  predictedLiveState?: string;
  /** Why it is not known what a change would make of it. */
  unpredicted?: string;
}

/** Query form of the preview; the POST form takes the whole SyncRequest. */
export const syncPlanQuery = {
  revision: "string",
  prune: "boolean",
  appNamespace: "string",
  project: "string",
} as const;
