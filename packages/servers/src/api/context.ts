import type { Clock } from "@capstan/flow";
import type { HostCalls } from "@capstan/git-hosts";
import type { Clusters, KubeClient, LiveState, Settings } from "@capstan/kube";
import type { ImagePlans, OperationRecords, Scripts } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import type { Rights } from "./access/rights.ts";

export interface ApiLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Everything that handlers may need; each names the part it uses. */
export interface ApiContext {
  /** The cluster that holds Applications, projects and settings. */
  readonly kube: KubeClient;
  /** Applications and projects in it. */
  readonly live: LiveState;
  /** Those that applications are deployed to. */
  readonly clusters: Pick<Clusters, "forDestination" | "open" | "isExcluded" | "ask">;
  readonly repo: RepoServer;
  /** By which ApplicationSets ask the hosts of repositories. */
  readonly hosts: HostCalls;
  readonly rights: Rights;
  readonly settings: { readonly current: Settings };
  readonly scripts: Scripts;
  /** What would become of applications' images; absent where nobody follows them. */
  readonly images?: Pick<ImagePlans, "isOn" | "plan" | "forget"> | undefined;
  /** What operations did; absent where nobody keeps it. */
  readonly records?: Pick<OperationRecords, "list" | "read"> | undefined;
  readonly controlNamespace: string;
  readonly clock: Clock;
  readonly log: ApiLog;
}
