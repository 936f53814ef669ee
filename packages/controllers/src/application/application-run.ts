import type { Cluster, TenantCluster } from "@capstan/kube";
import {
  type Application,
  type ApplicationCondition,
  type ApplicationConditionType,
  type ApplicationStatus,
  type AppProject,
  formatTime,
  mergeConditions,
} from "@capstan/model";
import type { ApplicationMemory } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import type { DueCompare } from "./comparison-schedule.ts";

/** One run over one application: what it found, and what is to be written at its end. */
export interface ApplicationRun {
  readonly needs: ApplicationNeeds;
  readonly memory: ApplicationMemory;
  readonly key: string;
  readonly startedAt: number;
  /** As last read or written. */
  app: Application;
  /** What the status, operation, spec and finalizers should be at the end. */
  draft: ApplicationDraft;
  due: DueCompare | undefined;
  project: AppProject | undefined;
  cluster: Cluster | undefined;
  /** The cluster within the project's rules as they are now: what is looked at and changed. */
  tenant: TenantCluster | undefined;
  /** Milliseconds by step, for the log line. */
  timings: Record<string, number>;
  renders: number;
  /** Requests for a comparison that this run answers: the annotations are removed at its end. */
  refresh: { value: string; timestamp: string | undefined } | undefined;
}

export interface ApplicationDraft {
  spec: Application["spec"];
  operation: Application["operation"];
  status: ApplicationStatus;
  finalizers: string[];
}

export function draftOf({ spec, operation, status, metadata }: Application): ApplicationDraft {
  return { spec, operation, status: { ...status }, finalizers: [...(metadata.finalizers ?? [])] };
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

type FoundCondition = Pick<ApplicationCondition, "type" | "message">;

/** Takes the conditions that a step found for the types that it is responsible for. */
export function setConditions(
  run: ApplicationRun,
  evaluated: readonly ApplicationConditionType[],
  found: readonly FoundCondition[],
): void {
  const lastTransitionTime = formatTime(run.needs.clock.now());
  const stamped = found.map((condition) => ({ ...condition, lastTransitionTime }));
  const conditions = mergeConditions(run.draft.status.conditions ?? [], stamped, new Set(evaluated));
  if (conditions.length > 0) run.draft.status.conditions = conditions;
  else delete run.draft.status.conditions;
}

/** Compares again after a time, whatever happens until then. */
export function lookAgain({ memory, needs }: ApplicationRun, ms: number, reason: string): void {
  memory.schedule.ask({ level: 1, reason, atMs: needs.clock.now() + ms });
}
