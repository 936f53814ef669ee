import { BlockList } from "node:net";
import type { KubeObject } from "../../types.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import {
  addressRange,
  isAddress,
  pathSegmentName,
  portNumber,
  subdomainName,
  wildcardName,
} from "./names.ts";
import { validatePort } from "./probe.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

export function validateIngress(report: Report, object: KubeObject): void {
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
    if (!value) report.required(`${field}.${name}`);
    else report.syntax(`${field}.${name}`, value, pathSegmentName(value));
  }
}

export function validateNetworkPolicy(report: Report, object: KubeObject): void {
  report.settle("spec");
  validateSelector(report, objectAt(object, "spec", "podSelector"), "spec.podSelector");
  for (const [list, peers] of [
    ["ingress", "from"],
    ["egress", "to"],
  ] as const)
    for (const [index, rule] of listAt(object, "spec", list).entries())
      validatePolicyRule(report, rule, { field: `spec.${list}[${index}]`, peers });
  const types = listAt(object, "spec", "policyTypes");
  if (types.length > policyTypes.length)
    report.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
  else
    for (const [index, type] of types.entries())
      if (!policyTypes.includes(`${type}`))
        report.unsupported(`spec.policyTypes[${index}]`, type, policyTypes);
}

const policyTypes = ["Ingress", "Egress"];
const protocols = ["TCP", "UDP", "SCTP"];

/** ValidateNetworkPolicyPort */
function validatePolicyPort(report: Report, item: unknown, field: string): void {
  const protocol = valueAt(item, "protocol");
  if (protocol !== undefined && !protocols.includes(`${protocol}`))
    report.unsupported(`${field}.protocol`, protocol, protocols);
  const port = valueAt(item, "port");
  const last = numberAt(item, "endPort");
  const at = `${field}.endPort`;
  validatePort(report, port, `${field}.port`);
  if (last === undefined) return;
  if (port === undefined) report.required(`${field}.port`, "must be specified when `endPort` is specified");
  else if (typeof port === "string")
    report.invalid(at, last, "may not be specified when `port` is non-numeric");
  else if (typeof port === "number") {
    if (last < port) report.invalid(at, last, "must be greater than or equal to `port`");
    for (const problem of portNumber(last)) report.invalid(at, last, problem);
  }
}

function validatePolicyRule(
  report: Report,
  rule: unknown,
  { field, peers }: { field: string; peers: "from" | "to" },
): void {
  for (const [index, port] of listAt(rule, "ports").entries())
    validatePolicyPort(report, port, `${field}.ports[${index}]`);
  for (const [index, peer] of listAt(rule, peers).entries())
    validatePeer(report, peer, `${field}.${peers}[${index}]`);
}

function validateException(
  report: Report,
  except: string,
  { field, range }: { field: string; range: string },
): void {
  const problems = addressRange(except);
  report.syntax(field, except, problems);
  if (problems.length > 0 || addressRange(range).length > 0) return;
  const [[ip = "", bits = ""], [whole = "", wholeBits = ""]] = [except.split("/"), range.split("/")];
  const family = whole.includes(":") ? "ipv6" : "ipv4";
  const block = new BlockList();
  block.addSubnet(whole, Number(wholeBits), family);
  const inside = ip.includes(":") === (family === "ipv6") && block.check(ip, family);
  if (!inside || Number(bits) <= Number(wholeBits))
    report.invalid(field, except, "must be a strict subset of `cidr`");
}

function validatePeer(report: Report, peer: unknown, field: string): void {
  const given = ["podSelector", "namespaceSelector", "ipBlock"].filter((name) => objectAt(peer, name));
  for (const name of ["podSelector", "namespaceSelector"])
    if (isObject(peer)) validateSelector(report, objectAt(peer, name), `${field}.${name}`);
  if (given.includes("ipBlock")) {
    const range = textAt(peer, "ipBlock", "cidr");
    if (range) report.syntax(`${field}.ipBlock.cidr`, range, addressRange(range));
    else report.required(`${field}.ipBlock.cidr`);
    for (const [index, except] of listAt(peer, "ipBlock", "except").entries())
      validateException(report, `${except}`, { field: `${field}.ipBlock.except[${index}]`, range });
  }
  if (given.length === 0) report.required(field, "must specify a peer");
  else if (given.length > 1 && given.includes("ipBlock"))
    report.forbidden(field, "may not specify both ipBlock and another peer");
}
