import type { HealthStatus } from "./application/status.ts";

/** The shapes in which Argo CD's API tells what an application consists of (pkg/apis types ApplicationTree). */

export interface ResourceRef {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
}

export interface InfoItem {
  name: string;
  value: string;
}

export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
}

export interface ResourceNetworkingInfo {
  targetLabels?: { [key: string]: string };
  targetRefs?: ResourceRef[];
  labels?: { [key: string]: string };
  ingress?: LoadBalancerIngress[];
  externalURLs?: string[];
}

export interface ResourceNode extends ResourceRef {
  parentRefs?: ResourceRef[];
  info?: InfoItem[];
  networkingInfo?: ResourceNetworkingInfo;
  resourceVersion?: string;
  images?: string[];
  health?: HealthStatus;
  createdAt?: string;
}

export interface HostResourceInfo {
  resourceName: string;
  requestedByApp: number;
  requestedByNeighbors: number;
  capacity: number;
}

export interface HostInfo {
  name: string;
  resourcesInfo?: HostResourceInfo[];
  systemInfo?: { [field: string]: unknown };
  labels?: { [key: string]: string };
}

export interface ApplicationTree {
  nodes?: ResourceNode[];
  orphanedNodes?: ResourceNode[];
  hosts?: HostInfo[];
  shardsCount?: number;
}

/** One managed object as the diff view shows it; states are JSON texts, Secrets masked. */
export interface ResourceDiff {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  targetState?: string;
  liveState?: string;
  diff?: string;
  hook?: boolean;
  normalizedLiveState?: string;
  predictedLiveState?: string;
  /** Ours: why the cluster does not say what it would become; `predictedLiveState` is then what git says. */
  unpredicted?: string;
  resourceVersion?: string;
  modified?: boolean;
}
