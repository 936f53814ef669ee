import type { KubeObject, ResourceInfo } from "../../types.ts";
import { listAt, objectAt, sameJson, textAt, valueAt } from "../json.ts";
import { podWarnings } from "./pod-warnings.ts";

interface Write {
  info: Pick<ResourceInfo, "group" | "kind">;
  object: KubeObject;
  previous?: KubeObject;
}

/** The strategies' WarningsOnCreate and WarningsOnUpdate: what is allowed, and hardly meant. */
export function objectWarnings({ info, object, previous }: Write): string[] {
  const key = `${info.group}/${info.kind}`;
  const template = templates[key];
  if (template !== undefined) {
    const path = [...template.split("."), "spec"];
    const isSame = previous !== undefined && sameJson(specOf(object), specOf(previous));
    const spec = objectAt(object, ...path);
    return isSame || !spec ? [] : podWarnings(spec, path.join("."));
  }
  return ofKind[key]?.(object, previous) ?? [];
}

const specOf = (object: KubeObject): unknown => object.spec ?? object.template;

const templates: Readonly<Record<string, string>> = {
  "/PodTemplate": "template",
  "/ReplicationController": "spec.template",
  "apps/DaemonSet": "spec.template",
  "apps/Deployment": "spec.template",
  "apps/ReplicaSet": "spec.template",
  "apps/StatefulSet": "spec.template",
  "batch/CronJob": "spec.jobTemplate.spec.template",
  "batch/Job": "spec.template",
};

type Warning = (object: KubeObject, previous: KubeObject | undefined) => string[];

const ofKind: Readonly<Record<string, Warning>> = {
  "/Pod": (object, previous) =>
    previous === undefined ? podWarnings(objectAt(object, "spec") ?? {}, "spec") : [],
  "/Node": nodeWarnings,
  "/PersistentVolume": ({ spec }) =>
    textAt(spec, "persistentVolumeReclaimPolicy") === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : [],
  "/Service": serviceWarnings,
  "discovery.k8s.io/EndpointSlice": (object, previous) =>
    previous === undefined && object.addressType === "FQDN"
      ? ["spec.addressType: FQDN endpoints are deprecated"]
      : [],
  "storage.k8s.io/CSIDriver": driverWarnings,
};

function nodeWarnings(object: KubeObject): string[] {
  const spec = objectAt(object, "spec");
  return [
    ...(spec?.configSource === undefined ? [] : ["spec.configSource: the feature is no longer supported"]),
    ...(textAt(spec, "externalID") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ];
}

/** pkg/api/service GetWarningsForService */
function serviceWarnings(object: KubeObject): string[] {
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

function driverWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  const [now, before] = [object, previous].map((of) => listAt(of, "spec", "tokenRequests"));
  if (sameJson(now, before)) return [];
  const isUnset = valueAt(object, "spec", "serviceAccountTokenInSecrets") === undefined;
  if (listAt(object, "spec", "tokenRequests").length === 0 || !isUnset) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}
