import type { ResourcePair } from "@capstan/engine";
import type { ApplicationCondition, ResourceKey } from "@capstan/model";

/** What of an application is in the cluster and cannot be listed there, by kind, in words. */
export function unreadableConditions(
  { name, unreadable }: { name: string; unreadable(key: ResourceKey): string | undefined },
  pairs: readonly ResourcePair[],
): Pick<ApplicationCondition, "type" | "message">[] {
  const kinds = new Map<string, { problem: string; kind: string; count: number }>();
  for (const { key } of pairs) {
    const problem = unreadable(key);
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
