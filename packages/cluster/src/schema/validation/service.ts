import type { KubeObject } from "../../types.ts";
import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../json.ts";
import { validateLabels } from "./metadata.ts";
import { address, isAddress, portName, portNumber, subdomainName, undottedLabelName } from "./names.ts";
import { validatePort } from "./probe.ts";
import type { Report } from "./report.ts";

/** pkg/apis/core/validation ValidateService */
export function validateService(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  const type = textAt(spec, "type");
  const headless = spec.clusterIP === "None";
  const ports = listAt(spec, "ports");
  if (ports.length === 0 && !headless && type !== "ExternalName") report.required("spec.ports");
  if ((type === "LoadBalancer" || type === "NodePort") && headless)
    report.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`);
  if (type === "ExternalName") {
    const name = textAt(spec, "externalName").replace(/\.$/, "");
    if (!name) report.required("spec.externalName");
    else report.syntax("spec.externalName", name, subdomainName(name));
  }
  validatePorts(report, ports, { type, headless });
  validateLabels(report, spec.selector, "spec.selector");
  validateAddresses(report, spec);
  validateTraffic(report, spec, type);
  if (previous) validateAddressChange(report, spec, objectAt(previous, "spec") ?? {});
}

function validatePorts(
  report: Report,
  ports: readonly unknown[],
  { type, headless }: { type: string; headless: boolean },
): void {
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    const name = textAt(port, "name");
    if (!name && ports.length > 1) report.required(`${field}.name`);
    if (name) {
      report.syntax(`${field}.name`, name, undottedLabelName(name));
      if (names.has(name)) report.duplicate(`${field}.name`, name);
      names.add(name);
    }
    const number = numberAt(port, "port") ?? 0;
    for (const problem of portNumber(number)) report.invalid(`${field}.port`, number, problem);
    const target = objectAt({ port }, "port")?.targetPort;
    if (typeof target === "string" && portName(target).length)
      validatePort(report, target, `${field}.targetPort`);
    else if (typeof target === "number") validatePort(report, target, `${field}.targetPort`);
    const key = `${number}/${textAt(port, "protocol")}`;
    if (numbers.has(key))
      report.duplicate(field, {
        Name: "",
        Protocol: textAt(port, "protocol"),
        AppProtocol: null,
        Port: number,
        TargetPort: 0,
        NodePort: 0,
      });
    numbers.add(key);
    if (type === "ClusterIP" && (numberAt(port, "nodePort") ?? 0) !== 0)
      report.forbidden(`${field}.nodePort`, "may not be used when `type` is 'ClusterIP'");
    if (headless && typeof target === "string" && target === "") report.required(`${field}.targetPort`);
  }
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
  if (listAt(spec, "loadBalancerSourceRanges").length > 0 && type !== "LoadBalancer")
    report.forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'");
}

function validateAddressChange(report: Report, spec: JsonObject, before: JsonObject): void {
  if (textAt(before, "type") === "ExternalName" || textAt(spec, "type") === "ExternalName") return;
  const known = listAt(before, "clusterIPs")[0] ?? before.clusterIP;
  const now = listAt(spec, "clusterIPs")[0] ?? spec.clusterIP;
  const asked = spec.clusterIP !== undefined && spec.clusterIP !== "" ? spec.clusterIP : now;
  if (known !== undefined && known !== "" && asked !== known)
    report.invalid("spec.clusterIPs[0]", [asked], "may not change once set");
}
