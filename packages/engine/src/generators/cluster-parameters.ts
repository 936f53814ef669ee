import { selectsLabels } from "@capstan/formats";
import type { TerminalGenerator } from "@capstan/model";
import type { ClusterFacts } from "./facts.ts";
import { normalizeName, type Parameters } from "./parameters.ts";
import { type Templates, withValues } from "./templates.ts";

type Clusters = NonNullable<TerminalGenerator["clusters"]>;

/**
 * One set for each cluster that the selector takes; the local one has no labels, so that only a generator without a
 * selector takes it (applicationset/generators ClusterGenerator).
 */
export function clusterParameters(
  { selector, values, flatList }: Clusters,
  clusters: readonly ClusterFacts[],
  form: { templates: Templates; isGo: boolean },
): Parameters[] {
  const hasRules =
    Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length > 0;
  const isTaken = ({ isLocal = false, labels }: ClusterFacts): boolean =>
    !hasRules || (!isLocal && selectsLabels(selector, labels));
  // The local one comes first, and of two Secrets with one name the last counts.
  const byName = new Map(clusters.filter(isTaken).map((one) => [one.name, one]));
  const ordered = [...byName.values()].sort(
    (one, other) => Number(other.isLocal ?? false) - Number(one.isLocal ?? false),
  );
  const sets = ordered.map((cluster) => withValues(parametersOf(cluster, form.isGo), values, form));
  return flatList ? [{ clusters: sets }] : sets;
}

function parametersOf(cluster: ClusterFacts, isGo: boolean): Parameters {
  const { name, server, project, labels, annotations, isLocal = false } = cluster;
  const plain = { name, nameNormalized: isLocal ? name : normalizeName(name), server, project };
  if (isLocal) return plain;
  if (!isGo)
    return {
      ...plain,
      ...prefixed("metadata.annotations.", annotations),
      ...prefixed("metadata.labels.", labels),
    };
  const metadata = {
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
  };
  return { ...plain, metadata };
}

function prefixed(prefix: string, texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [prefix + key, value]));
}
