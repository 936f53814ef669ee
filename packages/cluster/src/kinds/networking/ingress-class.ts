import { specOf } from "../../registry/kind-rules.ts";
import { ingressClassCells } from "../../schema/tables/network.ts";
import { validateIngressClass } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const ingressClass: Kind = {
  group: "networking.k8s.io",
  resource: "ingressclasses",
  generation: specOf,
  validate: validateIngressClass,
  cells: ingressClassCells,
};
