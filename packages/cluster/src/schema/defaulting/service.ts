import { isObject, type JsonObject, listAt, objectAt } from "../json.ts";

export function defaultServicePort(fields: JsonObject): void {
  const target = fields.targetPort;
  if (target === undefined || target === 0 || target === "") fields.targetPort = fields.port ?? 0;
}

export function defaultServiceSpec(fields: JsonObject): void {
  const type = fields.type ?? "ClusterIP";
  const reachable = type === "NodePort" || type === "LoadBalancer";
  if (reachable || (type === "ClusterIP" && listAt(fields, "externalIPs").length > 0))
    fields.externalTrafficPolicy ??= "Cluster";
  if (type !== "ExternalName") fields.internalTrafficPolicy ??= "Cluster";
  if (type === "LoadBalancer") fields.allocateLoadBalancerNodePorts ??= true;
  if (fields.sessionAffinity === "ClientIP") fields.sessionAffinityConfig ??= {};
  else delete fields.sessionAffinityConfig;
}

export function defaultService(fields: JsonObject): void {
  const ingress = listAt(fields, "status", "loadBalancer", "ingress");
  if (ingress.length === 0) return;
  const status = objectAt(fields, "status");
  const balancer = objectAt(status, "loadBalancer");
  const withMode = ingress.map((row) => (isObject(row) && row.ip ? { ipMode: "VIP", ...row } : row));
  fields.status = { ...status, loadBalancer: { ...balancer, ingress: withMode } };
}

export function defaultNetworkPolicySpec(fields: JsonObject): void {
  if (listAt(fields, "policyTypes").length > 0) return;
  fields.policyTypes = listAt(fields, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}
