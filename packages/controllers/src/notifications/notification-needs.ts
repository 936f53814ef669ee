import { isApplicationNamespace } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import type { Clusters, KubeClient, KubeLog, LiveState, Settings } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import type { RepoServer } from "@capstan/wire";
import { findObject, group } from "../project/find-project.ts";

/** What a look at one Application is made with. */
export interface NotificationNeeds {
  readonly client: KubeClient;
  /** Applications and projects, as they are watched for the API anyway. */
  readonly live: LiveState;
  readonly repo: RepoServer;
  readonly clusters: Pick<Clusters, "forDestination">;
  readonly settings: { readonly current: Settings };
  readonly clock: Clock;
  readonly log: KubeLog;
  readonly controlNamespace: string;
}

/** Keys are `namespace/name`. */
export function findApplication(
  { live }: Pick<NotificationNeeds, "live">,
  key: string,
): Manifest | undefined {
  const slash = key.indexOf("/");
  return live.get({ group, kind: "Application", namespace: key.slice(0, slash), name: key.slice(slash + 1) });
}

export function isNotifiedNamespace(
  { settings, controlNamespace }: Pick<NotificationNeeds, "settings" | "controlNamespace">,
  namespace: string,
): boolean {
  const setting = settings.current.params["application.namespaces"];
  return isApplicationNamespace(namespace, { controlNamespace, setting });
}

/**
 * The project as far as notifications know it: in the application's own namespace alone, so that none outside the
 * control namespace has one (notification_controller getAppProj).
 */
export function projectBeside(
  { live }: Pick<NotificationNeeds, "live">,
  { metadata, spec }: Manifest,
): Manifest | undefined {
  const name: unknown = spec !== null && typeof spec === "object" ? Reflect.get(spec, "project") : undefined;
  if (typeof name !== "string" || name === "") return undefined;
  return findObject(live, { kind: "AppProject", namespace: metadata.namespace ?? "", name });
}
