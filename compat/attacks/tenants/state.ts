import type { CapstanProcess } from "@capstan/testkit";

const kinds = [
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "ServiceAccount"],
  ["v1", "Namespace"],
  ["batch/v1", "Job"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
  ["argoproj.io/v1alpha1", "AppProject"],
  ["argoproj.io/v1alpha1", "Application"],
] as const;

/** Every object outside team's namespaces, as text without what time alone changes. */
export async function foreignState(
  { kube }: CapstanProcess,
  isOwn: (kind: string, namespace: string, name: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const signal = AbortSignal.timeout(100_000);
  const state = new Map<string, string>();
  for (const [apiVersion, kind] of kinds) {
    const { items } = await kube.list({ apiVersion, kind }, signal);
    for (const { metadata, status: _, ...rest } of items) {
      const { namespace = "", name = "", labels, annotations, finalizers, deletionTimestamp } = metadata;
      const place = kind === "Namespace" ? name : namespace;
      if (place.startsWith("team-") || isOwn(kind, namespace, name)) continue;
      const kept = { labels, annotations, finalizers, deletionTimestamp };
      state.set(`${kind} ${namespace}/${name}`, JSON.stringify({ kept, ...rest }));
    }
  }
  return state;
}

/** What differs, as lines. */
export function compareStates(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [before.get(key), after.get(key)];
    if (one === other) return [];
    if (one === undefined) return [`${key} was made: ${other}`];
    if (other === undefined) return [`${key} is gone`];
    return [`${key} was changed: ${one} → ${other}`];
  });
}
