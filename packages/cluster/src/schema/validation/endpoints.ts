import { isIP } from "node:net";
import type { KubeObject } from "../../types.ts";
import { goValue } from "../go-value.ts";
import { type JsonObject, listAt, numberAt, objectAt, sameJson, textAt } from "../json.ts";
import {
  address,
  labelName,
  labelValue,
  pathSegmentName,
  portNumber,
  qualifiedName,
  subdomainName,
  undottedLabelName,
} from "./names.ts";
import type { Report } from "./report.ts";

/** pkg/apis/core/validation ValidateEndpoints */
export function validateEndpoints(report: Report, object: KubeObject, previous?: KubeObject): void {
  report.settle("subsets");
  if (previous && sameJson(object.subsets, previous.subsets)) return;
  for (const [index, subset] of listAt(object, "subsets").entries()) {
    const field = `subsets[${index}]`;
    const lists = ["addresses", "notReadyAddresses"];
    if (lists.every((list) => listAt(subset, list).length === 0))
      report.required(field, "must specify `addresses` or `notReadyAddresses`");
    for (const list of lists)
      for (const [at, item] of listAt(subset, list).entries())
        validateEndpointAddress(report, item, `${field}.${list}[${at}]`);
    const ports = listAt(subset, "ports");
    for (const [at, port] of ports.entries()) {
      const name = textAt(port, "name");
      if (!name && ports.length > 1) report.required(`${field}.ports[${at}].name`);
      validateEndpointPort(report, port, `${field}.ports[${at}]`);
    }
  }
}

const protocols = ["SCTP", "TCP", "UDP"];

function validateEndpointPort(report: Report, port: unknown, field: string): void {
  const name = textAt(port, "name");
  if (name) report.syntax(`${field}.name`, name, undottedLabelName(name));
  const number = numberAt(port, "port") ?? 0;
  for (const problem of portNumber(number)) report.invalid(`${field}.port`, number, problem);
  const protocol = textAt(port, "protocol");
  if (protocol && !protocols.includes(protocol)) report.unsupported(`${field}.protocol`, protocol, protocols);
  validateApplication(report, port, field);
}

function validateApplication(report: Report, port: unknown, field: string): void {
  const application = objectAt({ port }, "port")?.appProtocol;
  if (typeof application === "string")
    report.syntax(`${field}.appProtocol`, application, qualifiedName(application));
}

function validateEndpointAddress(report: Report, item: unknown, field: string): void {
  const [ip, hostname] = [textAt(item, "ip"), textAt(item, "hostname")];
  if (isIP(ip) === 0)
    report.invalid(`${field}.ip`, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  if (hostname) report.syntax(`${field}.hostname`, hostname, undottedLabelName(hostname));
  validateNodeName(report, item, field);
  if (isIP(ip) === 0) report.invalid(`${field}.ip`, ip, "must be a valid IP address");
  else refuseSpecial(report, ip, `${field}.ip`);
}

function validateNodeName(report: Report, item: unknown, field: string): void {
  const node = objectAt({ item }, "item")?.nodeName;
  if (typeof node === "string") report.syntax(`${field}.nodeName`, node, subdomainName(node));
}

/** ValidateEndpointIP: what no other machine can reach. */
function refuseSpecial(report: Report, ip: string, field: string): void {
  const refuse = (why: string): void => report.invalid(field, ip, why);
  if (ip === "0.0.0.0" || ip === "::") refuse(`may not be unspecified (${ip})`);
  if (ip.startsWith("127.") || ip === "::1")
    refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (ip.startsWith("169.254.") || /^fe[89ab]/i.test(ip))
    refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (ip.startsWith("224.0.0.") || /^ff02:/i.test(ip))
    refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

/** pkg/apis/discovery/validation ValidateEndpointSlice and ValidateEndpointSliceUpdate */
export function validateEndpointSlice(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const type = textAt(object, "addressType");
  for (const list of ["endpoints", "ports", "addressType"]) report.settle(list);
  if (!type) report.required("addressType");
  else if (!addressTypes.includes(type)) report.unsupported("addressType", type, addressTypes);
  validateSlicePorts(report, listAt(object, "ports"));
  if (!previous || !sameJson(object.endpoints, previous.endpoints))
    for (const [index, endpoint] of listAt(object, "endpoints").entries())
      validateEndpoint(report, endpoint, { field: `endpoints[${index}]`, type });
  if (previous && previous.addressType !== type) report.invalid("addressType", type, "field is immutable");
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];

interface EndpointPlace {
  field: string;
  type: string;
}

function validateEndpoint(report: Report, endpoint: unknown, { field, type }: EndpointPlace): void {
  const at = `${field}.addresses`;
  const addresses = listAt(endpoint, "addresses");
  if (addresses.length === 0) report.required(at, "must contain at least 1 address");
  if (addresses.length > 100) report.tooMany(at, addresses.length, 100);
  for (const [index, text] of addresses.entries())
    validateSliceAddress(report, `${text}`, { field: at, index, type });
  validateNodeName(report, endpoint, field);
  const hostname = objectAt({ endpoint }, "endpoint")?.hostname;
  if (typeof hostname === "string") report.syntax(`${field}.hostname`, hostname, labelName(hostname));
  validateHints(report, endpoint, `${field}.hints`);
}

const mostHints = 8;

function validateHints(report: Report, endpoint: unknown, field: string): void {
  for (const [list, syntax] of [
    ["forZones", labelValue],
    ["forNodes", subdomainName],
  ] as const) {
    const hints = listAt(endpoint, "hints", list);
    if (hints.length > mostHints) {
      report.tooMany(`${field}.${list}`, hints.length, mostHints);
      return;
    }
    const seen = new Set<string>();
    for (const [index, hint] of hints.entries()) {
      const name = textAt(hint, "name");
      const at = `${field}.${list}[${index}].name`;
      if (seen.has(name)) report.duplicate(at, name);
      seen.add(name);
      report.syntax(at, name, syntax(name));
    }
  }
}

function validateSliceAddress(
  report: Report,
  text: string,
  { field, index, type }: { field: string; index: number; type: string },
): void {
  const at = `${field}[${index}]`;
  if (type === "FQDN") {
    validateDomain(report, text, at);
    return;
  }
  if (type !== "IPv4" && type !== "IPv6") return;
  if (isIP(text) === 0) {
    report.syntax(at, text, address(text));
    return;
  }
  // The path is that of the list, whichever item is of another family.
  if (type === "IPv4" && isIP(text) !== 4) report.invalid(field, text, "must be an IPv4 address");
  if (type === "IPv6" && isIP(text) !== 6) report.invalid(field, text, "must be an IPv6 address");
  refuseSpecial(report, text, at);
}

/** apimachinery/pkg/util/validation IsFullyQualifiedDomainName */
function validateDomain(report: Report, text: string, field: string): void {
  const name = text.replace(/\.$/, "");
  if (text === "") report.required(field);
  else if (subdomainName(name).length > 0) report.syntax(field, name, subdomainName(name));
  else if (!name.includes("."))
    report.invalid(field, name, "should be a domain with at least two segments separated by dots");
}

function validateSlicePorts(report: Report, ports: readonly unknown[]): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `ports[${index}]`;
    const [name, protocol] = [textAt(port, "name"), textAt(port, "protocol")];
    if (name) report.syntax(`${field}.name`, name, undottedLabelName(name));
    if (names.has(name)) report.duplicate(`${field}.name`, name);
    names.add(name);
    if (!protocols.includes(protocol)) report.unsupported(`${field}.protocol`, protocol, protocols);
    validateApplication(report, port, field);
  }
}

/** pkg/apis/networking/validation ValidateIPAddress and ValidateIPAddressUpdate */
export function validateIpAddress(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const parent = objectAt(object, "spec", "parentRef");
  const field = "spec.parentRef";
  const [now, before] = [parent, objectAt(previous, "spec", "parentRef")].map((reference) =>
    goValue("*networking.ParentReference", reference),
  );
  report.settle("spec");
  if (parent) validateParent(report, parent, { field, isNew: previous === undefined });
  else report.required(field);
  if (previous && !sameJson(now, before)) report.invalid(field, now, "field is immutable");
}

function validateParent(
  report: Report,
  parent: JsonObject,
  { field, isNew }: { field: string; isNew: boolean },
): void {
  const group = textAt(parent, "group");
  if (group && isNew) report.syntax(`${field}.group`, group, subdomainName(group));
  for (const name of ["resource", "name", "namespace"]) {
    const value = textAt(parent, name);
    if (!value && name !== "namespace") report.required(`${field}.${name}`);
    else if (isNew) report.syntax(`${field}.${name}`, value, pathSegmentName(value));
  }
}
