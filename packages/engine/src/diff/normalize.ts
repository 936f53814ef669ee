import { isRecord, matchesGlob } from "@capstan/formats";
import { foldStringData, groupOf, type Manifest, type ResourceIgnoreDifferences } from "@capstan/model";
import type { DiffRules } from "./diff-rules.ts";
import { pathsOf, withoutPath } from "./json-pointer.ts";

/** Fields that the server alone writes. */
const serverFields = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
]);

/** Which object it is; rules may look at it. */
const identity = new Set(["name", "generateName", "namespace"]);

/** Both sides of a comparison, without what does not count (Argo CD: util/argo/diff, gitops-engine pkg/diff). */
export function normalize(manifest: Manifest, rules: DiffRules): Manifest {
  const group = groupOf(manifest.apiVersion);
  let normal: Manifest = { ...manifest, metadata: metadataWithout(serverFields, manifest) };
  if (manifest.kind === "Secret" && group === "") normal = foldStringData(normal);
  if (group === "rbac.authorization.k8s.io") normal = normalizeRules(normal, rules);
  if (manifest.kind === "Endpoints" && group === "") normal = sortLists(normal, ["subsets"]);
  if (manifest.kind === "EndpointSlice" && group === "discovery.k8s.io") {
    normal = sortLists(normal, ["endpoints", "ports"]);
  }
  for (const rule of rules.ignoreDifferences) {
    if (appliesTo(rule, manifest)) normal = ignoreFields(normal, rule, rules);
  }
  normal = { ...normal, metadata: metadataWithout(identity, normal) };
  if (ignoresStatus(manifest, rules)) delete normal.status;
  return normal;
}

function metadataWithout(names: ReadonlySet<string>, { metadata }: Manifest): Manifest["metadata"] {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.has(name)));
}

function ignoresStatus(manifest: Manifest, { ignoreStatus }: DiffRules): boolean {
  if (ignoreStatus === "none") return false;
  return ignoreStatus === "all" || manifest.kind === "CustomResourceDefinition";
}

function normalizeRules(manifest: Manifest, { ignoreAggregatedRoles }: DiffRules): Manifest {
  if (manifest.kind !== "Role" && manifest.kind !== "ClusterRole") return manifest;
  const { rules, ...rest } = manifest;
  const isAggregated = manifest.kind === "ClusterRole" && isRecord(manifest.aggregationRule);
  const isEmpty = rules === undefined || rules === null || (Array.isArray(rules) && rules.length === 0);
  return isEmpty || (isAggregated && ignoreAggregatedRoles) ? rest : manifest;
}

function sortLists(manifest: Manifest, names: readonly string[]): Manifest {
  const sorted: Manifest = { ...manifest };
  for (const name of names) {
    const items = sorted[name];
    if (!Array.isArray(items)) continue;
    sorted[name] = items
      .map((item: unknown) => ({ item, text: JSON.stringify(item) }))
      .sort((left, right) => (left.text < right.text ? -1 : 1))
      .map(({ item }) => item);
  }
  return sorted;
}

/** Group and kind are globs, and an empty name or namespace stands for all (util/argo/normalizers). */
export function appliesTo(rule: ResourceIgnoreDifferences, manifest: Manifest): boolean {
  const { name, namespace } = manifest.metadata;
  return (
    matchesGlob(rule.kind, manifest.kind) &&
    matchesGlob(rule.group ?? "", groupOf(manifest.apiVersion)) &&
    ((rule.name ?? "") === "" || rule.name === name) &&
    ((rule.namespace ?? "") === "" || rule.namespace === namespace)
  );
}

function ignoreFields(manifest: Manifest, rule: ResourceIgnoreDifferences, rules: DiffRules): Manifest {
  let result = manifest;
  for (const path of pathsOf(rule.jsonPointers)) {
    const left = withoutPath(result, path);
    if (left !== result) result = stillManifest(result, left);
  }
  const expressions = rule.jqPathExpressions ?? [];
  if (expressions.length === 0 || rules.deleteByJq === undefined) return result;
  return stillManifest(result, rules.deleteByJq(result, expressions));
}

function stillManifest(manifest: Manifest, stripped: unknown): Manifest {
  if (!isRecord(stripped)) return manifest;
  const metadata = isRecord(stripped.metadata) ? stripped.metadata : {};
  return { ...stripped, apiVersion: manifest.apiVersion, kind: manifest.kind, metadata };
}

/** Managers whose fields do not count, by the rules that apply to an object. */
export function ignoredManagers(manifest: Manifest, rules: DiffRules): ReadonlySet<string> {
  const matching = rules.ignoreDifferences.filter((rule) => appliesTo(rule, manifest));
  return new Set(matching.flatMap((rule) => rule.managedFieldsManagers ?? []));
}
