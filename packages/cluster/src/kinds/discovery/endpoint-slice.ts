import { isIP } from "node:net";
import { listAt, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { firstThree, text } from "../../schema/tables/cells.ts";
import {
  protocols,
  refuseSpecial,
  validateApplication,
  validateNodeName,
} from "../../schema/validation/endpoint-parts.ts";
import {
  address,
  labelName,
  labelValue,
  subdomainName,
  undottedLabelName,
} from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { endpointSlices } from "../../workloads/network/endpoint-slices.ts";
import type { Kind } from "../kind.ts";

export const endpointSlice: Kind = {
  group: "discovery.k8s.io",
  resource: "endpointslices",
  metadataPasses: { update: 1, whole: 3 },
  // strategy.PrepareForUpdate: labels and the like count too
  generation: ({ metadata, ...rest }) => ({ ...rest, labels: metadata.labels }),
  validate: validateEndpointSlice,
  warnings: sliceWarnings,
  cells: {
    AddressType: text("addressType"),
    Ports: (object) =>
      firstThree(
        listAt(object, "ports").map((port) => `${valueAt(port, "port") ?? (textAt(port, "name") || "*")}`),
      ),
    Endpoints: (object) =>
      firstThree(
        listAt(object, "endpoints").flatMap((endpoint) => listAt(endpoint, "addresses").map(String)),
      ),
  },
  simulation: { make: endpointSlices },
};

function sliceWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  const isNamed = previous === undefined && object.addressType === "FQDN";
  return isNamed ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
}

/** pkg/apis/discovery/validation ValidateEndpointSlice and ValidateEndpointSliceUpdate */
function validateEndpointSlice(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
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
      report.unique(at, name, seen);
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
    report.unique(`${field}.name`, name, names);
    if (!protocols.includes(protocol)) report.unsupported(`${field}.protocol`, protocol, protocols);
    validateApplication(report, port, field);
  }
}
