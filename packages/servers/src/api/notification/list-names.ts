import { fetchMap } from "../config-maps.ts";
import type { ApiContext } from "../context.ts";

export type NotificationNeeds = Pick<ApiContext, "kube" | "controlNamespace">;

/**
 * Names of what argocd-notifications-cm sets up under one beginning of its keys; whoever is logged in may choose among
 * them for subscriptions (server/notification).
 */
export async function listNames(
  context: NotificationNeeds,
  { prefix, nameOf }: { prefix: string; nameOf: (rest: string) => string },
  signal: AbortSignal,
): Promise<{ items: { name: string }[] }> {
  const { data } = await fetchMap(context, "argocd-notifications-cm", signal);
  const names = Object.keys(data)
    .filter((key) => key.startsWith(prefix) && key.length > prefix.length)
    .map((key) => nameOf(key.slice(prefix.length)));
  return { items: [...new Set(names)].sort().map((name) => ({ name })) };
}
