import { isIP } from "node:net";
import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, objectAt, sameJson, textAt } from "../json.ts";
import { address, subdomainName, undottedLabelName } from "./names.ts";
import type { Report } from "./report.ts";

export function validateEndpoints(report: Report, object: KubeObject): void {
  for (const [index, subset] of listAt(object, "subsets").entries()) {
    const field = `subsets[${index}]`;
    const addresses = listAt(subset, "addresses");
    if (addresses.length + listAt(subset, "notReadyAddresses").length === 0)
      report.required(field, "must specify `addresses` or `notReadyAddresses`");
    for (const [at, item] of addresses.entries())
      validateAddress(report, textAt(item, "ip"), `${field}.addresses[${at}].ip`);
    for (const [at, port] of listAt(subset, "ports").entries()) {
      const number = numberAt(port, "port") ?? 0;
      if (number < 1 || number > 65535)
        report.invalid(`${field}.ports[${at}].port`, number, "must be between 1 and 65535, inclusive");
    }
  }
}

function validateAddress(report: Report, ip: string, field: string): void {
  if (isIP(ip) === 0) {
    report.invalid(field, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    report.invalid(field, ip, "must be a valid IP address");
  } else refuseLoopback(report, ip, field);
}

function refuseLoopback(report: Report, ip: string, field: string): void {
  if (ip.startsWith("127.") || ip === "::1")
    report.invalid(field, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
}

/** pkg/apis/discovery/validation ValidateEndpointSlice and ValidateEndpointSliceUpdate */
export function validateEndpointSlice(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const type = textAt(object, "addressType");
  for (const [index, endpoint] of listAt(object, "endpoints").entries()) {
    const field = `endpoints[${index}].addresses`;
    const addresses = listAt(endpoint, "addresses");
    if (addresses.length === 0) report.required(field, "must contain at least 1 address");
    if (addresses.length > 100) report.tooMany(field, addresses.length, 100);
    for (const [at, text] of addresses.entries())
      validateSliceAddress(report, `${text}`, { field: `${field}[${at}]`, type });
  }
  validateSlicePorts(report, listAt(object, "ports"));
  if (previous && previous.addressType !== type) report.invalid("addressType", type, "field is immutable");
}

function validateSliceAddress(
  report: Report,
  text: string,
  { field, type }: { field: string; type: string },
): void {
  if (type === "FQDN") {
    report.syntax(field, text, subdomainName(text));
    return;
  }
  if (isIP(text) === 0) report.syntax(field, text, address(text));
  else if (type === "IPv4" && isIP(text) !== 4) report.invalid(field, text, "must be an IPv4 address");
  else if (type === "IPv6" && isIP(text) !== 6) report.invalid(field, text, "must be an IPv6 address");
  else refuseLoopback(report, text, field);
}

function validateSlicePorts(report: Report, ports: readonly unknown[]): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const name = textAt(port, "name");
    if (name) report.syntax(`ports[${index}].name`, name, undottedLabelName(name));
    if (names.has(name)) report.duplicate(`ports[${index}].name`, name);
    names.add(name);
  }
}

/** pkg/apis/networking/validation ValidateIPAddressUpdate */
export function validateIpAddress(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const parent = objectAt(object, "spec", "parentRef");
  if (!previous || sameJson(parent, objectAt(previous, "spec", "parentRef"))) return;
  const printed = {
    Group: textAt(parent, "group"),
    Resource: textAt(parent, "resource"),
    Namespace: textAt(parent, "namespace"),
    Name: textAt(parent, "name"),
  };
  report.invalid("spec.parentRef", printed, "field is immutable");
}
