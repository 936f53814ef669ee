import { isIP } from "node:net";
import { listAt, numberAt, sameJson, textAt } from "../../schema/json.ts";
import { firstThree } from "../../schema/tables/cells.ts";
import {
  protocols,
  refuseSpecial,
  validateApplication,
  validateNodeName,
} from "../../schema/validation/endpoint-parts.ts";
import { portNumber, undottedLabelName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const endpoints: Kind = {
  group: "",
  resource: "endpoints",
  storageKey: "services/endpoints",
  notice: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  createOnUpdate: true,
  validate: validateEndpoints,
  cells: { Endpoints: printEndpoints },
};

function printEndpoints(object: KubeObject): string {
  const subsets = listAt(object, "subsets");
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports");
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) =>
      addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberAt(port, "port") ?? 0}`),
    );
  });
  return all.length === 0 ? "" : firstThree(all);
}

/** pkg/apis/core/validation ValidateEndpoints */
function validateEndpoints(report: Report, object: KubeObject, previous?: KubeObject): void {
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

function validateEndpointPort(report: Report, port: unknown, field: string): void {
  const name = textAt(port, "name");
  if (name) report.syntax(`${field}.name`, name, undottedLabelName(name));
  const number = numberAt(port, "port") ?? 0;
  for (const problem of portNumber(number)) report.invalid(`${field}.port`, number, problem);
  const protocol = textAt(port, "protocol");
  if (protocol) report.oneOf(`${field}.protocol`, protocol, protocols);
  validateApplication(report, port, field);
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
