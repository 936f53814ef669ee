import type { ActingAs, ProjectAccess } from "@capstan/engine/permit";
import { type ClusterReach, describeFailure, type ResourceKey } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import type { LiveState } from "../live/live-state.ts";
import { TenantClient } from "./tenant-client.ts";
import { TenantLive } from "./tenant-live.ts";

/** A cluster as one application may see and change it, by its project's rules as they were when it was made. */
export interface TenantCluster {
  readonly server: string;
  readonly name: string;
  readonly client: TenantClient;
  readonly live: TenantLive;
  /** Absent: all of it. */
  readonly reach: ClusterReach | undefined;
  /** Whose rights count for what `client` does. */
  readonly actsAs: ActingAs;
  permits(key: ResourceKey): boolean;
  /** Why an object is forbidden, as people should read it. */
  refusalOf(key: ResourceKey): string | undefined;
}

interface Whole {
  readonly server: string;
  readonly name: string;
  readonly client: KubeClient;
  readonly live: LiveState;
  readonly reach: ClusterReach | undefined;
}

export function tenantCluster(
  { server, name, client, live, reach }: Whole,
  access: ProjectAccess,
): TenantCluster {
  if (access.server !== server)
    throw new Error(`rules for cluster ${access.server} do not hold for cluster ${server}`);
  return {
    server,
    name,
    client: new TenantClient(client, access),
    live: new TenantLive(live, access),
    reach,
    actsAs: access.actsAs,
    permits: (key) => access.permits(key),
    refusalOf(key) {
      const refusal = access.refusalOf(key);
      return refusal && describeFailure(refusal);
    },
  };
}
