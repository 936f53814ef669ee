import type { Clock } from "@capstan/flow";
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeLog } from "../kube-log.ts";
import type { InstanceOf } from "./object-index.ts";
import type { RbacRespect } from "./respect-rbac.ts";

export interface LiveStateOptions {
  client: KubeClient;
  /** Reads the tracking metadata of an object. */
  instanceOf: InstanceOf;
  /** resource.exclusions and resource.inclusions of the settings. */
  isExcluded?: (kind: { group: string; kind: string }) => boolean;
  /** Only these namespaces (namespaces of a cluster Secret). */
  namespaces?: readonly string[];
  /** Cluster-scoped kinds too, when `namespaces` is given. */
  clusterResources?: boolean;
  /** What a refused list means (resource.respectRBAC). Default off. */
  respectRbac?: RbacRespect;
  /** Whether what is seldom read of Applications is kept as packed text, for a process that mostly holds them. */
  isCompact?: boolean | undefined;
  clock: Clock;
  log: KubeLog;
}
