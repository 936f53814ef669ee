import { fieldsAt } from "../../registry/selectable-fields.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { loadBalancerAddresses, printLabels, text } from "../../schema/tables/cells.ts";
import { undottedLabelName } from "../../schema/validation/names.ts";
import type { KubeObject } from "../../types.ts";
import { admitService } from "../../workloads/network/admit-service.ts";
import { loadBalancers } from "../../workloads/network/load-balancers.ts";
import type { Kind } from "../kind.ts";
import { validateService, validateServiceStatus } from "./service-validation.ts";

export const service: Kind = {
  group: "",
  resource: "services",
  storageKey: "services/specs",
  nameSyntax: undottedLabelName,
  metadataPasses: { update: 2, whole: 3 },
  createOnUpdate: true,
  newStatus: { loadBalancer: {} },
  defaults: {
    "io.k8s.api.core.v1.Service": defaultService,
    "io.k8s.api.core.v1.ServicePort": defaultServicePort,
    "io.k8s.api.core.v1.ServiceSpec": defaultServiceSpec,
  },
  prepare: prepareService,
  validate: validateService,
  validateStatus: validateServiceStatus,
  warnings: serviceWarnings,
  cells: {
    Type: text("spec", "type"),
    "Cluster-IP": (object) => `${listAt(object, "spec", "clusterIPs")[0] ?? "<none>"}`,
    "External-IP": externalAddress,
    "Port(s)": (object) => listAt(object, "spec", "ports").map(printPort).join(",") || "<none>",
    Selector: (object) => printLabels(objectAt(object, "spec", "selector")),
  },
  selectors: fieldsAt("spec.clusterIP", "spec.type"),
  deletion: {
    answersObject: true,
  },
  hook: ({ objects }) => ({ admit: (service, previous) => admitService(service, previous, objects) }),
  simulation: { make: loadBalancers },
};

function defaultServicePort(fields: JsonObject): void {
  const target = fields.targetPort;
  if (target === undefined || target === 0 || target === "") fields.targetPort = fields.port ?? 0;
}

function defaultServiceSpec(fields: JsonObject): void {
  const type = fields.type ?? "ClusterIP";
  const reachable = type === "NodePort" || type === "LoadBalancer";
  if (reachable || (type === "ClusterIP" && listAt(fields, "externalIPs").length > 0))
    fields.externalTrafficPolicy ??= "Cluster";
  if (type !== "ExternalName") fields.internalTrafficPolicy ??= "Cluster";
  if (type === "LoadBalancer") fields.allocateLoadBalancerNodePorts ??= true;
  if (fields.sessionAffinity === "ClientIP") fields.sessionAffinityConfig ??= {};
  else delete fields.sessionAffinityConfig;
}

function defaultService(fields: JsonObject): void {
  const ingress = listAt(fields, "status", "loadBalancer", "ingress");
  if (ingress.length === 0) return;
  const status = objectAt(fields, "status");
  const balancer = objectAt(status, "loadBalancer");
  const withMode = ingress.map((row) => (isObject(row) && row.ip ? { ipMode: "VIP", ...row } : row));
  fields.status = { ...status, loadBalancer: { ...balancer, ingress: withMode } };
}

/** pkg/registry/core/service/storage: values once given stay, families are those of a single-stack IPv4 cluster. */
function prepareService(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec: JsonObject = { ...objectAt(object, "spec") };
  const type = textAt(spec, "type");
  const before = objectAt(previous, "spec");
  if (type === "ExternalName") {
    for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"])
      delete spec[name];
    return { ...object, spec };
  }
  if (before && textAt(before, "type") !== "ExternalName") keepAllocations(spec, before);
  if (spec.clusterIP && listAt(spec, "clusterIPs").length === 0) spec.clusterIPs = [spec.clusterIP];
  if (!spec.clusterIP && listAt(spec, "clusterIPs").length > 0)
    spec.clusterIP = listAt(spec, "clusterIPs")[0];
  families(spec);
  return { ...object, spec };
}

function keepAllocations(spec: JsonObject, before: JsonObject): void {
  for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
    if (before[name] !== undefined) spec[name] ??= before[name];
  const type = textAt(spec, "type");
  if (type !== "NodePort" && type !== "LoadBalancer") return;
  const known = listAt(before, "ports").filter(isObject);
  spec.ports = listAt(spec, "ports").map((port) => {
    if (!isObject(port) || port.nodePort) return port;
    const same = known.find((other) => other.port === port.port && other.protocol === port.protocol);
    return same?.nodePort ? { ...port, nodePort: same.nodePort } : port;
  });
}

function families(spec: JsonObject): void {
  const selector = objectAt(spec, "selector");
  const selectorless = !selector || Object.keys(selector).length === 0;
  const dual = spec.clusterIP === "None" && selectorless;
  if (listAt(spec, "ipFamilies").length === 0) spec.ipFamilies = dual ? ["IPv4", "IPv6"] : ["IPv4"];
  spec.ipFamilyPolicy ??= dual ? "RequireDualStack" : "SingleStack";
}

function printPort(port: unknown): string {
  const node = numberAt(port, "nodePort");
  return `${numberAt(port, "port") ?? 0}${node ? `:${node}` : ""}/${textAt(port, "protocol")}`;
}

function externalAddress(object: KubeObject): string {
  const external = listAt(object, "spec", "externalIPs").map(String);
  switch (textAt(object, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(object), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textAt(object, "spec", "externalName");
    default:
      return "<unknown>";
  }
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
