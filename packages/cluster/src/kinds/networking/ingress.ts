import { specOf } from "../../registry/kind-rules.ts";
import { listAt, textAt } from "../../schema/json.ts";
import { loadBalancerAddresses, textOr } from "../../schema/tables/cells.ts";
import type { KubeObject } from "../../types.ts";
import { ingresses } from "../../workloads/network/load-balancers.ts";
import type { Kind } from "../kind.ts";
import { validateIngress } from "./ingress-validation.ts";

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
