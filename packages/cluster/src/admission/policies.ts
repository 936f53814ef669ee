import { cel } from "../cel/loaded.ts";
import type { Review, World } from "../objects/world.ts";
import { qualifiedResource } from "../registry/served.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import { selects } from "../schema/validation/selector.ts";
import type { Rbac } from "../security/rbac.ts";
import { ApiError, type KubeObject } from "../types.ts";
import { matches } from "./policy-match.ts";

const group = "admissionregistration.k8s.io";
const bindingType = `${group}/validatingadmissionpolicybindings`;
export const policyType = `${group}/validatingadmissionpolicies`;

interface Needs {
  world: Pick<World, "store" | "registry">;
  rbac: Rbac;
}

/** ValidatingAdmissionPolicy (KEP-3488): what expressions say of a change. */
export function validatePolicies({ world, rbac }: Needs, review: Review): void {
  const { store } = world;
  if (store.count(bindingType) === 0 || review.served.info.group === group) return;
  for (const { object: binding } of store.list(bindingType)) {
    const policy = store.get(policyType, "", textAt(binding, "spec", "policyName"))?.object;
    if (policy === undefined || !matches(store, objectAt(policy, "spec", "matchConstraints"), review))
      continue;
    if (matches(store, objectAt(binding, "spec", "matchResources"), review))
      enforce({ world, rbac }, review, { policy, binding });
  }
}

interface Bound {
  policy: KubeObject;
  binding: KubeObject;
}

/** Of everyone, where the cluster itself writes. */
const itself = { username: "system:apiserver", groups: ["system:masters"] };

function enforce(needs: Needs, review: Review, bound: Bound): void {
  const { policyOf, judgePolicy, toDynamic, Authorizer } = cel();
  const policy = policyOf(bound.policy);
  const params = findParams(needs.world, review, bound);
  if (typeof params === "string") {
    act(review, bound, { message: params, reason: "Invalid" });
    return;
  }
  const { store } = needs.world;
  const namespace = store.get("/namespaces", "", review.namespace)?.object;
  const values = {
    object: toDynamic(review.object ?? {}),
    oldObject: review.previous === undefined ? null : toDynamic(review.previous),
    namespaceObject: namespace === undefined ? null : toDynamic(namespace),
    request: policy.request(describeRequest(review)),
    authorizer: new Authorizer(needs.rbac, review.requester ?? itself),
  };
  for (const one of params)
    for (const denial of judgePolicy(policy, {
      ...values,
      params: one === undefined ? null : toDynamic(one),
    }))
      act(review, bound, denial);
}

function describeRequest({
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

type Params = readonly (KubeObject | undefined)[];

/** The objects that a binding gives to its policy: one undefined where it needs none; a text where they are missing. */
function findParams(
  { store, registry }: Needs["world"],
  review: Review,
  { policy, binding }: Bound,
): Params | string {
  const kind = objectAt(policy, "spec", "paramKind");
  const reference = objectAt(binding, "spec", "paramRef");
  if (kind === undefined || reference === undefined) return [undefined];
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
    .filter((object) => name !== "" || selects(selector, object.metadata.labels ?? {}));
  if (found.length > 0) return found;
  return textAt(reference, "parameterNotFoundAction") === "Allow"
    ? []
    : "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
}

interface Denial {
  message: string;
  reason: string;
}

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};

function act(review: Review, { policy, binding }: Bound, { message, reason }: Denial): void {
  const names = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  const actions = listAt(binding, "spec", "validationActions");
  if (actions.includes("Warn")) review.warn(`Validation failed for ${names}: ${message}`);
  if (!actions.includes("Deny")) return;
  const { info } = review.served;
  const text = `${names} denied request: ${message}`;
  throw new ApiError(
    codes[reason] ?? 422,
    reason,
    `${qualifiedResource(info)} ${JSON.stringify(review.name)} is forbidden: ${text}`,
    {
      ...(review.name && { name: review.name }),
      ...(info.group && { group: info.group }),
      kind: info.resource,
      causes: [{ message: text }],
    },
  );
}

/** Whether the expressions of a policy compile is known to the language alone. */
export const policyHook = {
  type: policyType,
  admit: (object: KubeObject) => object,
  problems: (object: KubeObject) => (isObject(object.spec) ? cel().policyProblems(object) : []),
};

/** Webhooks are never called: nothing runs that could answer. Their definitions are held to the rules all the same. */
export const webhookHooks = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"].map(
  (resource) => ({
    type: `admissionregistration.k8s.io/${resource}`,
    admit: (object: KubeObject) => object,
    problems: (object: KubeObject) =>
      listAt(object, "webhooks")
        .filter(isObject)
        .flatMap((webhook, index) =>
          listAt(webhook, "matchConditions").length === 0
            ? []
            : cel().webhookProblems(webhook, `webhooks[${index}]`),
        ),
  }),
);
