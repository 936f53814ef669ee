import { KubeError, type TenantCluster } from "@capstan/kube";
import {
  apiVersionOf,
  formatKey,
  keyOf,
  type Manifest,
  messageOf,
  type ResourceKey,
  type ResourceStatus,
} from "@capstan/model";

export interface UnlistedObjects {
  found: Manifest[];
  /** Whether they are there is not known, with the reason. */
  unknown: string[];
}

/**
 * The objects of kinds that cannot be listed, one by one: those that the last comparison named. What may not even be
 * read by its name stays unknown.
 */
export async function fetchUnlisted(
  { client, live, permits }: TenantCluster,
  resources: readonly ResourceStatus[],
  signal: AbortSignal,
): Promise<UnlistedObjects> {
  const answer: UnlistedObjects = { found: [], unknown: [] };
  for (const { group = "", version = "", kind = "", namespace = "", name = "" } of resources) {
    const key: ResourceKey = { group, kind, namespace, name };
    if (live.unreadable(key) === undefined || !permits(key)) continue;
    const apiVersion = apiVersionOf(group, version);
    try {
      const object = await client.fetchLive({ apiVersion, kind, namespace, name }, signal);
      if (object) answer.found.push(object);
    } catch (error) {
      if (!(error instanceof KubeError) || error.code >= 500) throw error;
      answer.unknown.push(`${formatKey(key)} (${messageOf(error)})`);
    }
  }
  return answer;
}

/** Without what is held of kinds that cannot be listed: it may be gone long since. */
export function listedOnly({ live }: TenantCluster, objects: readonly Manifest[]): Manifest[] {
  return objects.filter((object) => live.unreadable(keyOf(object)) === undefined);
}
