import type { Clock, Lanes, Limiter } from "@capstan/flow";
import type { HostCalls } from "@capstan/git-hosts";
import type { EventRecorder, KubeClient, KubeLog, LiveState, Settings } from "@capstan/kube";
import type { Application, ApplicationSet, Manifest } from "@capstan/model";
import { isLiveSet } from "@capstan/model";
import type { JqDeletions } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";
import { group } from "../project/find-project.ts";

/** What a look at one ApplicationSet is made with. */
export interface SetNeeds {
  readonly client: KubeClient;
  /** ApplicationSets, Applications and projects, as they are watched for the API anyway. */
  readonly live: LiveState;
  readonly repo: RepoServer;
  readonly hosts: HostCalls;
  readonly jq: Pick<JqDeletions, "settled">;
  readonly settings: { readonly current: Settings };
  readonly clock: Clock;
  readonly log: KubeLog;
  readonly events: EventRecorder;
  /** By which sets ask servers beside each other. */
  readonly lanes: Lanes;
  /** Sets that write at a time, each some objects at once. */
  readonly writers: Limiter;
  readonly controlNamespace: string;
}

export type StoredSet = Manifest & ApplicationSet;
export type StoredApplication = Manifest & Application;

export function findSet({ live }: Pick<SetNeeds, "live">, key: string): StoredSet | undefined {
  const slash = key.indexOf("/");
  const found = live.get({
    group,
    kind: "ApplicationSet",
    namespace: key.slice(0, slash),
    name: key.slice(slash + 1),
  });
  return isLiveSet(found) ? found : undefined;
}
