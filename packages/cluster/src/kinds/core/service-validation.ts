import { type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../../schema/json.ts";
import { validateLabels } from "../../schema/validation/metadata.ts";
import {
  address,
  addressRange,
  isAddress,
  portNumber,
  qualifiedName,
  subdomainName,
  undottedLabelName,
} from "../../schema/validation/names.ts";
import { validatePort } from "../../schema/validation/probe.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";

/** pkg/apis/core/validation ValidateService */
export function validateService(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  const type = textAt(spec, "type");
  const headless = spec.clusterIP === "None";
  const ports = listAt(spec, "ports");
  if (previous) validateClassChange(report, spec, objectAt(previous, "spec") ?? {});
  if (ports.length === 0 && !headless && type !== "ExternalName") report.required("spec.ports");
  if ((type === "LoadBalancer" || type === "NodePort") && headless)
    report.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`);
  if (type === "ExternalName") {
    const name = textAt(spec, "externalName").replace(/\.$/, "");
    report.named("spec.externalName", name, subdomainName);
  }
  validatePorts(report, ports);
  validateLabels(report, spec.selector, "spec.selector");
  validateAffinity(report, spec);
  validateAddresses(report, spec);
  if (type === "ClusterIP")
    for (const [index, port] of ports.entries())
      if ((numberAt(port, "nodePort") ?? 0) !== 0)
        report.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'");
  validateUnique(report, ports);
  validateBalancing(report, spec, type);
  validateTraffic(report, spec, type);
  if (previous) validateAddressChange(report, spec, objectAt(previous, "spec") ?? {});
}

function validatePorts(report: Report, ports: readonly unknown[]): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    const name = textAt(port, "name");
    if (!name && ports.length > 1) report.required(`${field}.name`);
    if (name) {
      report.syntax(`${field}.name`, name, undottedLabelName(name));
      report.unique(`${field}.name`, name, names);
    }
    const number = numberAt(port, "port") ?? 0;
    for (const problem of portNumber(number)) report.invalid(`${field}.port`, number, problem);
    const protocol = textAt(port, "protocol");
    if (!protocols.includes(protocol)) report.unsupported(`${field}.protocol`, protocol, protocols);
    validatePort(report, valueAt(port, "targetPort"), `${field}.targetPort`);
    const application = valueAt(port, "appProtocol");
    if (typeof application === "string")
      report.syntax(`${field}.appProtocol`, application, qualifiedName(application));
  }
}

const protocols = ["SCTP", "TCP", "UDP"];

/** Of a protocol a port may be served once, and so may the port of a node. */
function validateUnique(report: Report, ports: readonly unknown[]): void {
  const [onNodes, served] = [new Set<string>(), new Set<string>()];
  for (const [index, port] of ports.entries()) {
    const number = numberAt(port, "nodePort") ?? 0;
    const key = `${textAt(port, "protocol")}/${number}`;
    if (number !== 0 && onNodes.has(key)) report.duplicate(`spec.ports[${index}].nodePort`, number);
    onNodes.add(key);
  }
  for (const [index, port] of ports.entries()) {
    const [Protocol, Port] = [textAt(port, "protocol"), numberAt(port, "port") ?? 0];
    const printed = { Name: "", Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 };
    if (served.has(`${Protocol}/${Port}`)) report.duplicate(`spec.ports[${index}]`, printed);
    served.add(`${Protocol}/${Port}`);
  }
}

const affinities = ["ClientIP", "None"];

const longestAffinitySeconds = 86400;

function validateAffinity(report: Report, spec: JsonObject): void {
  const affinity = textAt(spec, "sessionAffinity");
  const field = "spec.sessionAffinityConfig";
  if (affinity) report.oneOf("spec.sessionAffinity", affinity, affinities);
  if (affinity === "None" && objectAt(spec, "sessionAffinityConfig"))
    report.forbidden(field, "must not be set when session affinity is None");
  if (affinity !== "ClientIP") return;
  const seconds = numberAt(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds");
  if (!objectAt(spec, "sessionAffinityConfig"))
    report.required(field, "when session affinity type is ClientIP");
  else if (seconds !== undefined && (seconds <= 0 || seconds > longestAffinitySeconds))
    report.invalid(
      `${field}.clientIP.timeoutSeconds`,
      seconds,
      `must be greater than 0 and less than ${longestAffinitySeconds}`,
    );
}

function validateAddresses(report: Report, spec: JsonObject): void {
  for (const [index, ip] of listAt(spec, "externalIPs").entries())
    report.syntax(`spec.externalIPs[${index}]`, `${ip}`, address(`${ip}`));
  for (const [index, ip] of listAt(spec, "clusterIPs").entries())
    if (ip !== "None" && ip !== "" && !isAddress(`${ip}`))
      report.syntax(`spec.clusterIPs[${index}]`, `${ip}`, address(`${ip}`));
}

function validateTraffic(report: Report, spec: JsonObject, type: string): void {
  const policy = textAt(spec, "externalTrafficPolicy");
  const external =
    type === "LoadBalancer" ||
    type === "NodePort" ||
    (type === "ClusterIP" && listAt(spec, "externalIPs").length > 0);
  if (policy && !external)
    report.invalid(
      "spec.externalTrafficPolicy",
      policy,
      "may only be set for externally-accessible services",
    );
  const needsCheck = type === "LoadBalancer" && policy === "Local";
  const check = numberAt(spec, "healthCheckNodePort") ?? 0;
  if (!needsCheck && check !== 0)
    report.invalid(
      "spec.healthCheckNodePort",
      check,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  const distribution = spec.trafficDistribution;
  report.oneOf("spec.trafficDistribution", distribution, distributions);
}

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

function validateBalancing(report: Report, spec: JsonObject, type: string): void {
  const rule = "may only be used when `type` is 'LoadBalancer'";
  const isBalancer = type === "LoadBalancer";
  const ranges = listAt(spec, "loadBalancerSourceRanges");
  if (ranges.length > 0 && !isBalancer) report.forbidden("spec.LoadBalancerSourceRanges", rule);
  for (const [index, range] of ranges.entries())
    report.syntax(`spec.LoadBalancerSourceRanges[${index}]`, `${range}`, addressRange(`${range}`.trim()));
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer)
    report.forbidden("spec.allocateLoadBalancerNodePorts", rule);
  validateClass(report, spec);
}

function validateClass(report: Report, spec: JsonObject): void {
  const balancer = spec.loadBalancerClass;
  if (typeof balancer !== "string") return;
  if (textAt(spec, "type") === "LoadBalancer")
    report.syntax("spec.loadBalancerClass", balancer, qualifiedName(balancer));
  else report.forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
}

function validateClassChange(report: Report, spec: JsonObject, before: JsonObject): void {
  const stays = [spec, before].every((of) => textAt(of, "type") === "LoadBalancer");
  if (stays && spec.loadBalancerClass !== before.loadBalancerClass)
    report.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set");
  validateClass(report, spec);
}

function validateAddressChange(report: Report, spec: JsonObject, before: JsonObject): void {
  if (textAt(before, "type") === "ExternalName" || textAt(spec, "type") === "ExternalName") return;
  const known = listAt(before, "clusterIPs")[0] ?? before.clusterIP;
  const now = listAt(spec, "clusterIPs")[0] ?? spec.clusterIP;
  const asked = spec.clusterIP !== undefined && spec.clusterIP !== "" ? spec.clusterIP : now;
  if (known !== undefined && known !== "" && asked !== known)
    report.invalid("spec.clusterIPs[0]", [asked], "may not change once set");
}

export function validateServiceStatus(report: Report, object: KubeObject): void {
  const ingress = listAt(object, "status", "loadBalancer", "ingress");
  if (textAt(object, "spec", "type") !== "LoadBalancer" && ingress.length > 0)
    report.forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
}
