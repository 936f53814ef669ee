export { applyObject, isMadeAnew } from "./apply/apply-object.ts";
export type { ApiResource } from "./client/api-resource.ts";
export type { Discovery } from "./client/discovery.ts";
export { createEventRecorder, type EventRecorder, type EventText } from "./client/event-recorder.ts";
export { knownKinds } from "./client/known-kinds.ts";
export {
  createKubeClient,
  type KubeClient,
  type ListQuery,
  type ObjectRef,
  type ObjectType,
  type Patch,
} from "./client/kube-client.ts";
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  isTooLarge,
  KubeError,
} from "./client/kube-error.ts";
export { rotateServiceAccountToken } from "./client/rotate-token.ts";
export { linesOf } from "./client/watch-events.ts";
export { type Cluster, type Clusters, type ConnectCluster, createClusters } from "./clusters.ts";
export type { KubeLog } from "./kube-log.ts";
export { leadInTurn } from "./leases/leadership.ts";
export { Membership } from "./leases/membership.ts";
export { createControlState } from "./live/control-state.ts";
export { followObjects } from "./live/follow-objects.ts";
export { isNewer, isSameVersion } from "./live/is-newer.ts";
export type { LiveChange, LiveState } from "./live/live-state.ts";
export { RecentSet } from "./live/recent-set.ts";
export { takeOver } from "./live/take-over.ts";
export { textsIn } from "./read-json.ts";
export {
  fingerprintOf,
  problemOfCertificates,
  readCertificates,
  readKnownHost,
} from "./settings/certificate-texts.ts";
export { clusterFor, readCluster } from "./settings/clusters.ts";
export type { ExtensionService, ExtensionSettings } from "./settings/read-extensions.ts";
export { readSettings, type SettingsOverlay } from "./settings/read-settings.ts";
export { knownHostsKey } from "./settings/read-trust.ts";
export {
  completeRepository,
  permittedRepository,
  repositoriesOf,
  repositoryFor,
  spellingOf,
} from "./settings/repositories.ts";
export { secretReading } from "./settings/secret-reading.ts";
export { secretTexts } from "./settings/secret-texts.ts";
export type {
  ActionScripts,
  ClusterSettings,
  DeepLink,
  GeneralSettings,
  HealthScript,
  KindCustomization,
  NotificationTexts,
  OidcSettings,
  Settings,
} from "./settings/settings.ts";
export { type SettingsSource, watchSettings } from "./settings/watch-settings.ts";
export { TenantClient } from "./tenant/tenant-client.ts";
export type { TenantCluster } from "./tenant/tenant-cluster.ts";
export type { TenantLive } from "./tenant/tenant-live.ts";
export type { ClusterConfig } from "./transport/cluster-config.ts";
export { httpTransport } from "./transport/http-transport.ts";
export { openKubeconfig } from "./transport/kubeconfig-file.ts";
export { namesProgram } from "./transport/official-programs.ts";
export { readKubeconfig } from "./transport/read-kubeconfig.ts";
export { readOnlyTransport } from "./transport/read-only-transport.ts";
export { readSmallFile } from "./transport/read-small-file.ts";
export type { KubeRequest, KubeResponse, Transport } from "./transport/transport.ts";
