import type { Container, Pod } from "../kinds.ts";

/** As k8s.io/kubectl/pkg/util/qos ComputePodQOS, with limits standing in for absent requests. */
export function qosClass(pod: Pod): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (containers.every(({ resources }) => isEmpty(resources?.requests) && isEmpty(resources?.limits)))
    return "BestEffort";
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function isGuaranteed({ resources }: Container): boolean {
  return ["cpu", "memory"].every((name) => {
    const limit = resources?.limits?.[name];
    return limit !== undefined && (resources?.requests?.[name] ?? limit) === limit;
  });
}

function isEmpty(quantities: Record<string, string> | undefined): boolean {
  return quantities?.cpu === undefined && quantities?.memory === undefined;
}
