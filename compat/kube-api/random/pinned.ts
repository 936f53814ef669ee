import type { Arbitrary } from "fast-check";
import type { Kind } from "../kinds/kind.ts";
import type { Edit } from "./edits.ts";

/**
 * What must not change at random, because it reaches beyond the object: webhooks and policies stand in the way of
 * every other request, defaults reach into other kinds, and a group of another name hides what is served.
 */
const pinned: Readonly<Record<string, readonly string[]>> = {
  MutatingWebhookConfiguration: ["webhooks.0.rules", "webhooks.1", "webhooks.0.clientConfig"],
  ValidatingWebhookConfiguration: ["webhooks.0.rules", "webhooks.1", "webhooks.0.clientConfig"],
  ValidatingAdmissionPolicy: ["spec.matchConstraints"],
  ValidatingAdmissionPolicyBinding: ["spec.policyName"],
  MutatingAdmissionPolicy: ["spec.matchConstraints"],
  MutatingAdmissionPolicyBinding: ["spec.policyName"],
  ClusterRole: ["aggregationRule"],
  PriorityClass: ["globalDefault"],
  APIService: ["spec.group", "spec.version", "spec.service"],
  CustomResourceDefinition: ["spec.group", "spec.names"],
  FlowSchema: ["spec.rules", "spec.matchingPrecedence"],
  PriorityLevelConfiguration: ["spec"],
  StorageClass: ["metadata.annotations"],
  ServiceCIDR: ["spec"],
};

export function withoutPinned({ kind }: Kind, edits: Arbitrary<Edit>): Arbitrary<Edit> {
  const places = pinned[kind];
  if (places === undefined) return edits;
  return edits.filter(({ path }) => {
    const text = path.join(".");
    return !places.some((place) => `${text}.`.startsWith(`${place}.`) || `${place}.`.startsWith(`${text}.`));
  });
}
