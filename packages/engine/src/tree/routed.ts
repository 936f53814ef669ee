import type { Manifest, ResourceNetworkingInfo, ResourceRef } from "@capstan/model";
import { fieldsAt, listAt, textOf } from "../health/health-rule.ts";

const istio = "networking.istio.io";
const gateways = "gateway.networking.k8s.io";

/** Where the routes of a mesh or a gateway send requests; undefined for other kinds. */
export function routedNetworking(manifest: Manifest, group: string): ResourceNetworkingInfo | undefined {
  const { kind } = manifest;
  if (group === istio && kind === "VirtualService") return toServices(virtualTargets(manifest));
  if (group === istio && kind === "ServiceEntry") return entryNetworking(manifest);
  if (group === gateways && kind.endsWith("Route")) return toServices(routeTargets(manifest));
  return undefined;
}

type Target = readonly [namespace: string, name: string];

function toServices(targets: readonly Target[]): ResourceNetworkingInfo {
  const found = new Map<string, ResourceRef>();
  for (const [namespace, name] of targets)
    if (name !== "") found.set(`${namespace}/${name}`, { kind: "Service", namespace, name });
  return found.size === 0 ? {} : { targetRefs: [...found.values()] };
}

/** Hosts are names of Services as DNS has them: alone, with their namespace, or whole. */
function virtualTargets(manifest: Manifest): Target[] {
  return listAt(manifest, "spec", "http")
    .flatMap((rule) => listAt(rule, "route"))
    .map((route) => textOf(fieldsAt(route, "destination").host).split("."))
    .map(([name = "", namespace = manifest.metadata.namespace ?? ""]) => [namespace, name]);
}

function routeTargets(manifest: Manifest): Target[] {
  return listAt(manifest, "spec", "rules")
    .flatMap((rule) => listAt(rule, "backendRefs"))
    .filter(({ group = "", kind = "Service" }) => group === "" && kind === "Service")
    .map(({ namespace, name }) => [textOf(namespace) || (manifest.metadata.namespace ?? ""), textOf(name)]);
}

/** Any Pod with these labels: Argo CD names none. */
function entryNetworking(manifest: Manifest): ResourceNetworkingInfo | undefined {
  const labels = Object.entries(fieldsAt(manifest, "spec", "workloadSelector", "labels"));
  const targetLabels = Object.fromEntries(labels.map(([name, value]) => [name, textOf(value)]));
  return labels.length === 0 ? undefined : { targetLabels, targetRefs: [{ kind: "Pod", name: "" }] };
}
