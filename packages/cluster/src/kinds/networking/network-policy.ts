import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, listAt } from "../../schema/json.ts";
import { selector } from "../../schema/tables/cells.ts";
import type { Kind } from "../kind.ts";
import { validateNetworkPolicy } from "./network-policy-validation.ts";

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
