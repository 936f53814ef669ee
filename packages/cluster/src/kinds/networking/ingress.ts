import { specOf } from "../../registry/kind-rules.ts";
import { ingressCells } from "../../schema/tables/network.ts";
import { validateIngress } from "../../schema/validation/network.ts";
import { ingresses } from "../../workloads/network/load-balancers.ts";
import type { Kind } from "../kind.ts";

export const ingress: Kind = {
  group: "networking.k8s.io",
  resource: "ingresses",
  storageKey: "ingress",
  generation: specOf,
  newStatus: { loadBalancer: {} },
  validate: validateIngress,
  cells: ingressCells,
  simulation: { make: ingresses },
};
