import type { Clock } from "@capstan/flow";
import type { Clusters, Settings } from "@capstan/kube";
import type { RepoServer } from "@capstan/wire";
import type { Scripts } from "./scripts.ts";

/** What desired, compared and plan are made with, whoever asks for them. */
export interface PlanningNeeds {
  readonly repo: RepoServer;
  readonly settings: { readonly current: Settings };
  readonly clusters: Pick<Clusters, "isExcluded">;
  readonly controlNamespace: string;
  readonly clock: Clock;
  readonly scripts: Pick<Scripts, "health" | "jq" | "dryRuns">;
}
