import type { RemovalVerdict } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import type { Cluster, TenantCluster } from "@capstan/kube";
import {
  type Application,
  type ApplicationCondition,
  type ApplicationConditionType,
  type ApplicationSource,
  type ApplicationStatus,
  type AppProject,
  hasMultipleSources,
  mergeConditions,
  type SyncStatus,
} from "@capstan/model";
import type { Desired, LiveComparison } from "@capstan/planning";
import type { ApplicationMemory } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import type { DueCompare } from "./comparison-schedule.ts";

/** One run over one application, and what is to be written at its end. */
export interface ApplicationRun {
  readonly needs: ApplicationNeeds;
  readonly memory: ApplicationMemory;
  readonly key: string;
  readonly startedAt: number;
  /** As last read or written. */
  app: Application;
  /** What the status, operation, spec and finalizers should be at the end. */
  draft: ApplicationDraft;
  /** Milliseconds by step, for the log line. */
  timings: Record<string, number>;
  renders: number;
  /** Nothing is new but the commit: the comparison of before was taken over. */
  isAsCompared: boolean;
  /** A sync of this run has succeeded: what it has made is compared in the same run. */
  hasSynced: boolean;
  /**
   * When it was compared because it was time to. Alone this is not worth a write, or each interval and each restart
   * would write all of them: it goes along with what else has changed.
   */
  reconciledAt?: string;
}

/** There is something to do: a comparison, an operation, a deletion. */
export interface DueRun {
  readonly run: ApplicationRun;
  readonly compare: DueCompare | undefined;
}

/** Whose application it is and where it goes are known. */
export interface LoadedRun {
  readonly run: ApplicationRun;
  readonly project: AppProject;
  readonly cluster: Cluster;
  /** The cluster within the project's rules as they are now: what is looked at and changed. */
  readonly tenant: TenantCluster;
}

export interface RenderedRun extends LoadedRun {
  readonly compare: DueCompare;
  readonly desired: Desired;
}

export interface ComparedRun extends RenderedRun {
  readonly comparison: LiveComparison;
}

/** It is known whether what would be pruned is more than one sync may. */
export interface JudgedRun extends ComparedRun {
  readonly prunes: RemovalVerdict;
}

export interface ApplicationDraft {
  spec: Application["spec"];
  operation: Application["operation"];
  status: ApplicationStatus;
  finalizers: string[];
  /** The request for a comparison that this run answers: the annotations are removed. */
  answered: { value: string; timestamp: string | undefined } | undefined;
  /** The allowance to prune that an operation has used up: the annotation with this text is removed. */
  spentAllowance: string | undefined;
}

/** A run as it begins: nothing is found out yet. */
export function beginRun(
  of: Pick<ApplicationRun, "needs" | "memory" | "key"> & { readonly app: Application },
): ApplicationRun {
  const startedAt = of.needs.clock.now();
  const draft = draftOf(of.app);
  return { ...of, startedAt, draft, timings: {}, renders: 0, isAsCompared: false, hasSynced: false };
}

export function draftOf({ spec, operation, status, metadata }: Application): ApplicationDraft {
  const finalizers = [...(metadata.finalizers ?? [])];
  return {
    spec,
    operation,
    status: { ...status },
    finalizers,
    answered: undefined,
    spentAllowance: undefined,
  };
}

/** The application as it will be once the draft is written; what pure decisions look at. */
export function draftedApp({ app, draft }: ApplicationRun): Application {
  const { operation, ...rest } = app;
  return {
    ...rest,
    spec: draft.spec,
    status: draft.status,
    ...(draft.operation === undefined ? {} : { operation: draft.operation }),
  };
}

/** What a comparison was about, as `status.sync.comparedTo` says it. */
export function comparedTo(
  { spec }: ApplicationDraft,
  [...sources]: readonly ApplicationSource[],
): NonNullable<SyncStatus["comparedTo"]> {
  const { destination, ignoreDifferences } = spec;
  const [source] = sources;
  return {
    ...(hasMultipleSources(spec) ? { sources } : source && { source }),
    destination,
    ...(ignoreDifferences ? { ignoreDifferences } : {}),
  };
}

export type FoundCondition = Pick<ApplicationCondition, "type" | "message">;

/** Takes the conditions that a step found for the types that it is responsible for. */
export function setConditions(
  run: ApplicationRun,
  evaluated: readonly ApplicationConditionType[],
  found: readonly FoundCondition[],
): void {
  const { conditions: before } = run.draft.status;
  const isOf = ({ type }: { type: string }) => evaluated.some((one) => one === type);
  // As nearly always: there are many steps, and each has its types.
  if (found.length === 0 && before?.length !== 0 && !before?.some(isOf)) return;
  const lastTransitionTime = formatTime(run.needs.clock.now());
  const stamped = found.map((condition) => ({ ...condition, lastTransitionTime }));
  const conditions = mergeConditions(before ?? [], stamped, new Set(evaluated));
  if (conditions.length > 0) run.draft.status.conditions = conditions;
  else delete run.draft.status.conditions;
}

/** Compares again after a time, whatever happens until then. */
export function lookAgain({ memory, needs }: ApplicationRun, ms: number, reason: string): void {
  memory.schedule.ask({ level: 1, reason, atMs: needs.clock.now() + ms });
}
