import type { KubeObject } from "../../types.ts";
import { listAt, objectAt, sameJson, textAt, valueAt } from "../json.ts";
import { podWarnings } from "./pod-warnings.ts";

/** What of the kind is allowed, and hardly meant: the strategies' WarningsOnCreate and WarningsOnUpdate. */
export interface WarningRules {
  /** Where its Pod template is, which is warned of as a Pod's specification is. */
  readonly podTemplate?: readonly string[];
  readonly warnings?: (object: KubeObject, previous: KubeObject | undefined) => string[];
}

export function objectWarnings(
  { podTemplate, warnings }: WarningRules,
  object: KubeObject,
  previous?: KubeObject,
): string[] {
  if (podTemplate === undefined) return warnings?.(object, previous) ?? [];
  const path = [...podTemplate, "spec"];
  const isSame = previous !== undefined && sameJson(specOf(object), specOf(previous));
  const spec = objectAt(object, ...path);
  return isSame || !spec ? [] : podWarnings(spec, path.join("."));
}

const specOf = (object: KubeObject): unknown => object.spec ?? object.template;

export function podCreationWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  return previous === undefined ? podWarnings(objectAt(object, "spec") ?? {}, "spec") : [];
}

export function volumeWarnings({ spec }: KubeObject): string[] {
  if (textAt(spec, "persistentVolumeReclaimPolicy") !== "Recycle") return [];
  return [
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
  ];
}

export function sliceWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  const isNamed = previous === undefined && object.addressType === "FQDN";
  return isNamed ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
}

export function nodeWarnings(object: KubeObject): string[] {
  const spec = objectAt(object, "spec");
  return [
    ...(spec?.configSource === undefined ? [] : ["spec.configSource: the feature is no longer supported"]),
    ...(textAt(spec, "externalID") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ];
}

/** pkg/api/service GetWarningsForService */
export function serviceWarnings(object: KubeObject): string[] {
  const spec = objectAt(object, "spec") ?? {};
  const isNamed = spec.type === "ExternalName";
  const isHeadless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const hasAddresses = listAt(spec, "externalIPs").length > 0;
  const warnings: string[] = [];
  if (isHeadless) {
    if (spec.loadBalancerIP) warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (hasAddresses) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None")
      warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  if (hasAddresses && !isHeadless && !isNamed)
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (hasAddresses && isNamed) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isNamed && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

export function driverWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  const [now, before] = [object, previous].map((of) => listAt(of, "spec", "tokenRequests"));
  if (sameJson(now, before)) return [];
  const isUnset = valueAt(object, "spec", "serviceAccountTokenInSecrets") === undefined;
  if (listAt(object, "spec", "tokenRequests").length === 0 || !isUnset) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}
