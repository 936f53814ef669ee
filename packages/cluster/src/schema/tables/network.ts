import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { type Cells, firstThree, printLabels, selector, text, textOr } from "./cells.ts";

export const serviceCells: Cells = {
  Type: text("spec", "type"),
  "Cluster-IP": (object) => `${listAt(object, "spec", "clusterIPs")[0] ?? "<none>"}`,
  "External-IP": externalAddress,
  "Port(s)": (object) => listAt(object, "spec", "ports").map(printPort).join(",") || "<none>",
  Selector: (object) => printLabels(objectAt(object, "spec", "selector")),
};

function printPort(port: unknown): string {
  const node = numberAt(port, "nodePort");
  return `${numberAt(port, "port") ?? 0}${node ? `:${node}` : ""}/${textAt(port, "protocol")}`;
}

function loadBalancerAddresses(object: KubeObject): string[] {
  const rows = listAt(object, "status", "loadBalancer", "ingress");
  const found = rows.map((row) => textAt(row, "ip") || textAt(row, "hostname")).filter(Boolean);
  return [...new Set(found)].sort();
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

export const endpointsCells: Cells = { Endpoints: printEndpoints };

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

export const endpointSliceCells: Cells = {
  AddressType: text("addressType"),
  Ports: (object) =>
    firstThree(
      listAt(object, "ports").map((port) => `${valueAt(port, "port") ?? (textAt(port, "name") || "*")}`),
    ),
  Endpoints: (object) =>
    firstThree(listAt(object, "endpoints").flatMap((endpoint) => listAt(endpoint, "addresses").map(String))),
};

export const ingressCells: Cells = {
  Class: textOr("<none>", "spec", "ingressClassName"),
  Hosts: printHosts,
  Address: (object) => loadBalancerAddresses(object).join(","),
  Ports: (object) => (listAt(object, "spec", "tls").length ? "80, 443" : "80"),
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

export const ingressClassCells: Cells = {
  Name: (object) => nameWithDefault(object, "ingressclass.kubernetes.io/is-default-class"),
  Controller: text("spec", "controller"),
  Parameters(object) {
    const parameters = objectAt(object, "spec", "parameters");
    if (!parameters) return "<none>";
    const group = textAt(parameters, "apiGroup");
    return `${textAt(parameters, "kind")}${group ? `.${group}` : ""}/${textAt(parameters, "name")}`;
  },
};

export function nameWithDefault(object: KubeObject, annotation: string): string {
  const name = object.metadata.name ?? "";
  return object.metadata.annotations?.[annotation] === "true" ? `${name} (default)` : name;
}

export const networkPolicyCells: Cells = { "Pod-Selector": selector("spec", "podSelector") };

export const serviceCidrCells: Cells = { CIDRs: (object) => listAt(object, "spec", "cidrs").join(",") };

export const ipAddressCells: Cells = {
  ParentRef(object) {
    const parent = objectAt(object, "spec", "parentRef");
    if (!parent) return "<none>";
    const group = textAt(parent, "group");
    const resource = `${textAt(parent, "resource")}${group ? `.${group}` : ""}`.toLowerCase();
    return [resource, textAt(parent, "namespace"), textAt(parent, "name")].filter(Boolean).join("/");
  },
};
