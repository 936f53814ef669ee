import type { ResourcePair } from "@capstan/engine";
import { KubeError, type TenantCluster } from "@capstan/kube";
import {
  type ApplicationCondition,
  apiVersionOf,
  formatKey,
  keyOf,
  type Manifest,
  messageOf,
  type ResourceKey,
  type ResourceStatus,
} from "@capstan/model";

/** What of an application is in the cluster and cannot be listed there, by kind, in words. */
export function unreadableConditions(
  { live, name }: TenantCluster,
  pairs: readonly ResourcePair[],
): Pick<ApplicationCondition, "type" | "message">[] {
  const kinds = new Map<string, { problem: string; kind: string; count: number }>();
  for (const { key } of pairs) {
    const problem = live.unreadable(key);
    if (problem === undefined) continue;
    const id = `${key.group}/${key.kind}`;
    const before = kinds.get(id)?.count ?? 0;
    kinds.set(id, { problem, kind: key.kind, count: before + 1 });
  }
  return Array.from(kinds.values(), ({ problem, kind, count }) => ({
    type: "UnreadableResourceWarning",
    message: `${kind} cannot be listed in cluster ${name}: ${problem}. ${count} of this application are applied, but neither compared nor pruned`,
  }));
}

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
      const object = await client.get({ apiVersion, kind, namespace, name }, signal);
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
