import { BlockList } from "node:net";
import { specOf } from "../../registry/kind-rules.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../../schema/json.ts";
import { selector } from "../../schema/tables/cells.ts";
import { addressRange, portNumber } from "../../schema/validation/names.ts";
import { validatePort } from "../../schema/validation/probe.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const networkPolicy: Kind = {
  group: "networking.k8s.io",
  resource: "networkpolicies",
  enums: {
    "NetworkPolicySpec.policyTypes": ["Ingress", "Egress"],
    "NetworkPolicyPort.protocol": ["TCP", "UDP", "SCTP"],
  },
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  defaults: {
    "io.k8s.api.networking.v1.NetworkPolicySpec": defaultNetworkPolicySpec,
  },
  validate: validateNetworkPolicy,
  cells: { "Pod-Selector": selector("spec", "podSelector") },
};

function defaultNetworkPolicySpec(fields: JsonObject): void {
  if (listAt(fields, "policyTypes").length > 0) return;
  fields.policyTypes = listAt(fields, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}

function validateNetworkPolicy(report: Report, object: KubeObject): void {
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
  report.oneOf(`${field}.protocol`, protocol, protocols);
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
