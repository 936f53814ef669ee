import { specOf } from "../../registry/kind-rules.ts";
import { defaultNetworkPolicySpec } from "../../schema/defaulting/service.ts";
import { networkPolicyCells } from "../../schema/tables/network.ts";
import { validateNetworkPolicy } from "../../schema/validation/network.ts";
import type { Kind } from "../kind.ts";

export const networkPolicy: Kind = {
  group: "networking.k8s.io",
  resource: "networkpolicies",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  defaults: {
    "io.k8s.api.networking.v1.NetworkPolicySpec": defaultNetworkPolicySpec,
  },
  validate: validateNetworkPolicy,
  cells: networkPolicyCells,
};
