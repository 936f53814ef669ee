import type { KubeObject } from "../../types.ts";
import type { Condition, PodTemplate } from "../kinds.ts";

export interface PodFailureRule {
  action: string;
  onExitCodes?: { containerName?: string; operator: string; values: readonly number[] };
  onPodConditions?: readonly { type: string; status: string }[];
}

export interface JobSpec {
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  completionMode?: string;
  completions?: number;
  managedBy?: string;
  maxFailedIndexes?: number;
  parallelism?: number;
  podFailurePolicy?: { rules: readonly PodFailureRule[] };
  podReplacementPolicy?: string;
  successPolicy?: { rules: readonly { succeededIndexes?: string; succeededCount?: number }[] };
  suspend?: boolean;
  template: PodTemplate;
  ttlSecondsAfterFinished?: number;
  [field: string]: unknown;
}

export interface JobStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  ready?: number;
  terminating?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
  failedIndexes?: string;
  conditions?: readonly Condition[];
  uncountedTerminatedPods?: Record<string, unknown>;
}

export interface Job extends KubeObject {
  spec: JobSpec;
  status?: JobStatus;
}

export interface JobReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  uid: string;
  resourceVersion?: string;
}

export interface CronJobStatus {
  active?: readonly JobReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

export interface CronJob extends KubeObject {
  spec: {
    concurrencyPolicy?: string;
    failedJobsHistoryLimit?: number;
    jobTemplate: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: JobSpec;
    };
    schedule: string;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    suspend?: boolean;
    timeZone?: string;
  };
  status?: CronJobStatus;
}

export function isJob(object: KubeObject): object is Job {
  return object.kind === "Job" && object.apiVersion === "batch/v1";
}
