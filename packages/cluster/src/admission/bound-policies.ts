import { selectsLabels } from "@capstan/formats";
import { cel } from "../cel/loaded.ts";
import type { Policy } from "../cel/policy.ts";
import type { Review, World } from "../objects/world.ts";
import { type JsonObject, objectAt, textAt } from "../schema/json.ts";
import type { Rbac } from "../security/rbac.ts";
import type { KubeObject } from "../types.ts";
import { matches } from "./policy-match.ts";

export const policyGroup = "admissionregistration.k8s.io";

export interface PolicyNeeds {
  world: Pick<World, "store" | "registry">;
  rbac: Rbac;
}

/** A policy with one of its bindings, where both match a change. */
export interface Bound {
  policy: KubeObject;
  binding: KubeObject;
}

interface PolicyTypes {
  policies: string;
  bindings: string;
}

/** Which policies of a kind are to look at a change (apiserver policy/generic/policy_dispatcher.go). */
export function boundPolicies(
  { store }: PolicyNeeds["world"],
  review: Review,
  { policies, bindings }: PolicyTypes,
): Bound[] {
  if (store.count(bindings) === 0 || review.served.info.group === policyGroup) return [];
  return store.list(bindings).flatMap(({ object: binding }) => {
    const policy = store.get(policies, "", textAt(binding, "spec", "policyName"))?.object;
    if (policy === undefined || !matches(store, objectAt(policy, "spec", "matchConstraints"), review))
      return [];
    return matches(store, objectAt(binding, "spec", "matchResources"), review) ? [{ policy, binding }] : [];
  });
}

/** Of everyone, where the cluster itself writes. */
const itself = { username: "system:apiserver", groups: ["system:masters"] };

/** The values of the variables that every policy has, but for its params. */
export function valuesOf({ world, rbac }: PolicyNeeds, review: Review, { request }: Pick<Policy, "request">) {
  const { toDynamic, Authorizer } = cel();
  const namespace = world.store.get("/namespaces", "", review.namespace)?.object;
  return {
    object: toDynamic(review.object ?? {}),
    oldObject: review.previous === undefined ? null : toDynamic(review.previous),
    namespaceObject: namespace === undefined ? null : toDynamic(namespace),
    request: request(describeRequest(review)),
    authorizer: new Authorizer(rbac, review.requester ?? itself),
  };
}

export function describeRequest({
  served,
  operation,
  subresource,
  namespace,
  name,
  dryRun,
  requester,
}: Review): JsonObject {
  const { version, kind, resource } = served.info;
  const ofKind = { group: served.info.group, version, kind };
  const ofResource = { group: served.info.group, version, resource };
  return {
    kind: ofKind,
    resource: ofResource,
    requestKind: ofKind,
    requestResource: ofResource,
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: requester ?? itself,
    dryRun,
  };
}

/** The values of `params` that a binding gives to its policy: null where it needs none; a text where they are missing. */
export function paramsOf(
  { store, registry }: PolicyNeeds["world"],
  review: Review,
  { policy, binding }: Bound,
): readonly unknown[] | string {
  const kind = objectAt(policy, "spec", "paramKind");
  const reference = objectAt(binding, "spec", "paramRef");
  if (kind === undefined || reference === undefined) return [null];
  const served = registry.byKind(textAt(kind, "apiVersion"), textAt(kind, "kind"));
  if (served === undefined)
    return `failed to configure policy: failed to find resource referenced by paramKind: '${textAt(kind, "apiVersion")}, Kind=${textAt(kind, "kind")}'`;
  const namespace = served.info.namespaced ? textAt(reference, "namespace") || review.namespace : "";
  const name = textAt(reference, "name");
  const selector = objectAt(reference, "selector");
  const found = store
    .list(served.type, namespace)
    .filter((entry) => (name === "" ? selector !== undefined : entry.name === name))
    .map((entry) => entry.object)
    .filter((object) => name !== "" || selectsLabels(selector, object.metadata.labels ?? {}));
  if (found.length > 0) return found.map((object) => cel().toDynamic(object));
  return textAt(reference, "parameterNotFoundAction") === "Allow"
    ? []
    : "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
}
