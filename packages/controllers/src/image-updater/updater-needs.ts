import type { Clock, Lanes } from "@capstan/flow";
import type { HostCalls } from "@capstan/git-hosts";
import type { EventRecorder, KubeClient, KubeLog, LiveState, Settings } from "@capstan/kube";
import { type Application, annotationKeys, isLiveApplication, type Manifest } from "@capstan/model";
import type { ImagePlans } from "@capstan/planning";
import type { RepoServer } from "@capstan/wire";

/** What a look at the images of one application is made with. */
export interface UpdaterNeeds {
  readonly client: KubeClient;
  readonly live: LiveState;
  readonly repo: Pick<RepoServer, "writeFiles" | "forgetRevisions">;
  readonly hosts: HostCalls;
  readonly settings: { readonly current: Settings };
  readonly plans: Pick<ImagePlans, "plan" | "forget" | "rules" | "intervalMs">;
  readonly clock: Clock;
  readonly log: KubeLog;
  readonly events: EventRecorder;
  readonly metrics: UpdaterMetrics;
  /** By which repositories are written beside each other. */
  readonly lanes: Lanes;
  readonly controlNamespace: string;
}

export interface UpdaterMetrics {
  updated(count: number): void;
  failed(): void;
  watched(count: number): void;
}

export type StoredApplication = Manifest & Application;

export const group = "argoproj.io";

export function findApplication(
  { live }: Pick<UpdaterNeeds, "live">,
  key: string,
): StoredApplication | undefined {
  const slash = key.indexOf("/");
  const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const found = live.get({ group, kind: "Application", namespace, name });
  return isLiveApplication(found) ? found : undefined;
}

/** Somebody wants its images looked for at once. */
export function asksForUpdates({ metadata }: StoredApplication): boolean {
  return metadata.annotations?.[annotationKeys.imageUpdates] !== undefined;
}
