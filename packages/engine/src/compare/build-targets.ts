import {
  type ApplicationCondition,
  annotationKeys,
  type ClusterReach,
  groupOf,
  keyOf,
  keyText,
  type Manifest,
  versionOf,
} from "@capstan/model";
import { isHook, isIgnoredByHook, isSkippedByHook } from "../marks/hooks.ts";
import { type Tracking, track } from "../tracking/tracking.ts";

/** What the cluster's discovery says of a kind; nothing when it does not know it. */
export interface KindFacts {
  namespaced: boolean;
}

export interface TargetInput {
  manifests: readonly Manifest[];
  /** Instance name of the application. */
  instance: string;
  /** `destination.namespace`. */
  namespace: string;
  tracking: Tracking;
  kindOf: (group: string, kind: string) => KindFacts | undefined;
  /** Absent: all of the cluster. */
  reach?: ClusterReach | undefined;
  /** `resource.exclusions` and `resource.inclusions` of the settings. */
  isExcluded?: (group: string, kind: string) => boolean;
}

export interface Targets {
  /** What must be in the cluster: tracked, namespaces filled in, no hooks, no duplicates; and what is to be left as it is. */
  resources: Manifest[];
  hooks: Manifest[];
  conditions: Pick<ApplicationCondition, "type" | "message">[];
}

/** From rendered manifests to what the cluster should hold (Argo CD: controller/state.go). */
export function buildTargets(input: TargetInput): Targets {
  const excluded = new Map<string, string[]>();
  const byKey = new Map<string, Manifest>();
  const repeated = new Map<string, number>();
  const hooks: Manifest[] = [];
  const problems: Targets["conditions"] = [];
  for (const manifest of input.manifests) {
    const group = groupOf(manifest.apiVersion);
    if (input.isExcluded?.(group, manifest.kind) === true) {
      const name = `${group}/${manifest.kind}`;
      const names = excluded.get(name) ?? [];
      excluded.set(name, names);
      names.push(manifest.metadata.name ?? "");
      continue;
    }
    const placed = place(manifest, input);
    const target = track(placed, input, input.tracking);
    if (isIgnoredByHook(target) && !isSkippedByHook(target)) continue;
    const outside = outOfReach(target, input);
    if (outside !== undefined) problems.push({ type: "ComparisonError", message: outside });
    if (isHook(target)) {
      hooks.push(target);
      continue;
    }
    if (lacksNamespace(target, input)) problems.push(withoutNamespace(target));
    const text = keyText(keyOf(target));
    if (byKey.has(text)) repeated.set(text, (repeated.get(text) ?? 1) + 1);
    byKey.delete(text); // the last one wins, and stands where the last one stood
    byKey.set(text, target);
  }
  return {
    resources: [...byKey.values()],
    hooks,
    conditions: [...problems, ...warnings(excluded, repeated)],
  };
}

function lacksNamespace({ apiVersion, kind, metadata }: Manifest, { kindOf }: TargetInput): boolean {
  return (metadata.namespace ?? "") === "" && kindOf(groupOf(apiVersion), kind)?.namespaced === true;
}

/** Neither it nor the destination names one (controller/state.go CompareAppState). */
function withoutNamespace({ apiVersion, kind, metadata }: Manifest): Targets["conditions"][number] {
  const group = groupOf(apiVersion);
  const name = `${group}/${versionOf(apiVersion)}, Kind=${kind}`;
  return { type: "InvalidSpecError", message: `Namespace for ${metadata.name} ${name} is missing.` };
}

/** What lies there is not watched, so that nothing is known of it (gitops-engine pkg/cache/cluster.go GetManagedLiveObjs). */
function outOfReach(
  { apiVersion, kind, metadata }: Manifest,
  { reach, kindOf }: TargetInput,
): string | undefined {
  const facts = kindOf(groupOf(apiVersion), kind);
  if (reach === undefined || facts === undefined) return undefined;
  const { name = "", namespace = "" } = metadata;
  if (!facts.namespaced)
    return reach.clusterResources
      ? undefined
      : `Cluster level ${kind} "${name}" can not be managed when in namespaced mode`;
  return namespace === "" || reach.namespaces.includes(namespace)
    ? undefined
    : `Namespace "${namespace}" for ${kind} "${name}" is not managed`;
}

function place(manifest: Manifest, { kindOf, namespace }: TargetInput): Manifest {
  const facts = kindOf(groupOf(manifest.apiVersion), manifest.kind);
  const own = manifest.metadata.namespace ?? "";
  // A kind that is unknown so far may be either; its namespace stays as it is written.
  if (facts === undefined) return manifest;
  if (facts.namespaced) {
    return own === "" && namespace !== ""
      ? { ...manifest, metadata: { ...manifest.metadata, namespace } }
      : manifest;
  }
  if (own === "") return manifest;
  const { namespace: _own, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

function warnings(
  excluded: ReadonlyMap<string, readonly string[]>,
  repeated: ReadonlyMap<string, number>,
): Targets["conditions"] {
  const conditions: Targets["conditions"] = [];
  for (const [kind, [first, ...others]] of excluded) {
    const more = others.length === 0 ? "" : `, and ${others.length} more of its kind`;
    conditions.push({
      type: "ExcludedResourceWarning",
      message: `Resource ${kind} ${first} is excluded in the settings (resource.exclusions, resource.inclusions)${more}`,
    });
  }
  for (const [key, count] of repeated) {
    conditions.push({
      type: "RepeatedResourceWarning",
      message: `Resource ${key} appeared ${count} times among application resources.`,
    });
  }
  return conditions;
}

/** Annotations of an object that say how to compare it. */
export function compareOptions({ metadata }: Pick<Manifest, "metadata">): ReadonlySet<string> {
  const text = metadata.annotations?.[annotationKeys.compareOptions];
  return new Set(text === undefined ? [] : text.split(",").map((part) => part.trim()));
}
