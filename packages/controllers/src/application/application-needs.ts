import type { Clock } from "@capstan/flow";
import type { Clusters, EventRecorder, KubeClient, KubeLog, SettingsSource } from "@capstan/kube";
import type { Application, AppProject } from "@capstan/model";
import type { OperationRecords, Scripts } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import type { ObjectStore } from "../loop/object-store.ts";
import type { ApplicationMetrics } from "./application-metrics.ts";
import type { Shard } from "./shard.ts";
import type { Standings } from "./standings.ts";

export interface ControllerLog extends KubeLog {
  debug(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What the steps work with. */
export interface ApplicationNeeds {
  /** The cluster that holds the Applications. */
  client: KubeClient;
  clusters: Clusters;
  repo: RepoServer;
  settings: SettingsSource;
  apps: ObjectStore<Application>;
  projects: ObjectStore<AppProject>;
  events: EventRecorder;
  metrics: ApplicationMetrics;
  clock: Clock;
  log: ControllerLog;
  controlNamespace: string;
  options: ApplicationOptions;
  /** Keeps what operations did; without one nobody does. */
  records?: Pick<OperationRecords, "add" | "lastWasSensitive"> | undefined;
  /** What outlives this process of how applications were found; without it each is compared at the start. */
  standings?: Standings | undefined;
  scripts: Pick<Scripts, "health" | "jq" | "dryRuns">;
  /** Set where several controllers share the applications. */
  shard?: Shard | undefined;
}

export interface ApplicationOptions {
  /** Applications worked on at a time (controller.status.processors). */
  concurrency: number;
  /** Objects of one application written at a time (kubectl parallelism). */
  parallelActs: number;
  /** Pause between waves where no setting says it: 2 s in Argo CD (ARGOCD_SYNC_WAVE_DELAY); waiting here is on health. */
  waveDelayMs: number;
  /** How long a repository may be out of reach before an application says so. */
  repoErrorGraceMs: number;
}

export const defaultOptions: ApplicationOptions = {
  concurrency: 20,
  parallelActs: 20,
  waveDelayMs: 0,
  repoErrorGraceMs: 180_000,
};
