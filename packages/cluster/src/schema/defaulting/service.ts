import { isObject, type JsonObject, listAt, objectAt } from "../json.ts";
import type { ConditionalDefault } from "./rules.ts";

function servicePort(fields: JsonObject): void {
  const target = fields.targetPort;
  if (target === undefined || target === 0 || target === "") fields.targetPort = fields.port ?? 0;
}

function serviceSpec(fields: JsonObject): void {
  const type = fields.type ?? "ClusterIP";
  const reachable = type === "NodePort" || type === "LoadBalancer";
  if (reachable || (type === "ClusterIP" && listAt(fields, "externalIPs").length > 0))
    fields.externalTrafficPolicy ??= "Cluster";
  if (type !== "ExternalName") fields.internalTrafficPolicy ??= "Cluster";
  if (type === "LoadBalancer") fields.allocateLoadBalancerNodePorts ??= true;
  if (fields.sessionAffinity === "ClientIP") fields.sessionAffinityConfig ??= {};
  else delete fields.sessionAffinityConfig;
}

function service(fields: JsonObject): void {
  const ingress = listAt(fields, "status", "loadBalancer", "ingress");
  if (ingress.length === 0) return;
  const status = objectAt(fields, "status");
  const balancer = objectAt(status, "loadBalancer");
  const withMode = ingress.map((row) => (isObject(row) && row.ip ? { ipMode: "VIP", ...row } : row));
  fields.status = { ...status, loadBalancer: { ...balancer, ingress: withMode } };
}

function networkPolicySpec(fields: JsonObject): void {
  if (listAt(fields, "policyTypes").length > 0) return;
  fields.policyTypes = listAt(fields, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}

export const serviceDefaults: Record<string, ConditionalDefault> = {
  "io.k8s.api.core.v1.Service": service,
  "io.k8s.api.core.v1.ServicePort": servicePort,
  "io.k8s.api.core.v1.ServiceSpec": serviceSpec,
  "io.k8s.api.networking.v1.NetworkPolicySpec": networkPolicySpec,
};
