import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { loadBalancerAddresses, textOr } from "../../schema/tables/cells.ts";
import {
  isAddress,
  pathSegmentName,
  portNumber,
  subdomainName,
  wildcardName,
} from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { ingresses } from "../../workloads/network/load-balancers.ts";
import type { Kind } from "../kind.ts";

export const ingress: Kind = {
  group: "networking.k8s.io",
  resource: "ingresses",
  storageKey: "ingress",
  generation: specOf,
  newStatus: { loadBalancer: {} },
  validate: validateIngress,
  cells: {
    Class: textOr("<none>", "spec", "ingressClassName"),
    Hosts: printHosts,
    Address: (object) => loadBalancerAddresses(object).join(","),
    Ports: (object) => (listAt(object, "spec", "tls").length ? "80, 443" : "80"),
  },
  simulation: { make: ingresses },
};

function printHosts(object: KubeObject): string {
  const rules = listAt(object, "spec", "rules");
  const hosts: string[] = [];
  for (const rule of rules) {
    if (hosts.length === 3) return `${hosts.join(",")} + ${rules.length - 3} more...`;
    const host = textAt(rule, "host");
    if (host) hosts.push(host);
  }
  return hosts.join(",") || "*";
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function validateIngress(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const rules = listAt(spec, "rules");
  if (rules.length === 0 && !objectAt(spec, "defaultBackend"))
    report.invalid("spec", null, "either `defaultBackend` or `rules` must be specified");
  const fallback = objectAt(spec, "defaultBackend");
  if (fallback) validateBackend(report, fallback, "spec.defaultBackend");
  for (const [index, tls] of listAt(spec, "tls").entries())
    for (const [at, host] of listAt(tls, "hosts").entries())
      validateHost(report, `${host}`, `spec.tls[${index}].hosts[${at}]`);
  for (const [index, rule] of rules.entries()) validateRule(report, rule, `spec.rules[${index}]`);
  const name = spec?.ingressClassName;
  if (typeof name === "string") report.syntax("spec.ingressClassName", name, subdomainName(name));
}

function validateHost(report: Report, host: string, field: string): void {
  report.syntax(field, host, host.includes("*") ? wildcardName(host) : subdomainName(host));
}

function validateRule(report: Report, rule: unknown, field: string): void {
  const host = textAt(rule, "host");
  if (host && isAddress(host)) report.invalid(`${field}.host`, host, "must be a DNS name, not an IP address");
  else if (host) validateHost(report, host, `${field}.host`);
  const http = objectAt(rule, "http");
  if (!http) return;
  const paths = listAt(http, "paths");
  if (paths.length === 0) report.required(`${field}.http.paths`);
  for (const [index, path] of paths.entries()) validatePath(report, path, `${field}.http.paths[${index}]`);
}

function validatePath(report: Report, item: unknown, field: string): void {
  const path = textAt(item, "path");
  const type = textAt(item, "pathType");
  if (!type) {
    report.required(`${field}.pathType`, "pathType must be specified");
    report.settle(field);
    return;
  }
  if (!pathTypes.includes(type)) report.unsupported(`${field}.pathType`, type, pathTypes);
  else if (type !== "ImplementationSpecific" || path)
    validatePathText(report, path, { field: `${field}.path`, type });
  validateBackend(report, objectAt(item, "backend") ?? {}, `${field}.backend`);
}

function validatePathText(
  report: Report,
  path: string,
  { field, type }: { field: string; type: string },
): void {
  if (!path.startsWith("/")) {
    report.invalid(field, path, "must be an absolute path");
    return;
  }
  if (type === "ImplementationSpecific") return;
  for (const part of ["//", "/./", "/../", "%2f", "%2F"])
    if (path.includes(part)) report.invalid(field, path, `must not contain '${part}'`);
  for (const end of ["/..", "/."])
    if (path.endsWith(end)) report.invalid(field, path, `cannot end with '${end}'`);
}

function validateBackend(report: Report, backend: Record<string, unknown>, field: string): void {
  const service = objectAt(backend, "service");
  const resource = objectAt(backend, "resource");
  report.settle(field);
  if (resource && !service) validateResource(report, resource, `${field}.resource`);
  if (resource && service) report.invalid(field, "", "cannot set both resource and service backends");
  else if (!resource && !service) report.invalid(field, "", "resource or service backend is required");
  if (!service || resource) return;
  if (!textAt(service, "name")) report.required(`${field}.service.name`);
  const name = textAt(service, "port", "name");
  const number = numberAt(service, "port", "number") ?? 0;
  if (name && number) report.invalid(field, "", "cannot set both port name & port number");
  else if (!name && !number) report.required(field, "port name or number is required");
  else if (number)
    for (const problem of portNumber(number)) report.invalid(`${field}.service.port.number`, number, problem);
}

function validateResource(report: Report, resource: JsonObject, field: string): void {
  const group = resource.apiGroup;
  if (typeof group === "string") report.syntax(`${field}.apiGroup`, group, subdomainName(group));
  for (const name of ["kind", "name"]) {
    const value = textAt(resource, name);
    report.named(`${field}.${name}`, value, pathSegmentName);
  }
}
