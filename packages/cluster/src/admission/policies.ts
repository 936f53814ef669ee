import { cel } from "../cel/loaded.ts";
import type { AdmissionHook, Review } from "../objects/world.ts";
import { qualifiedResource } from "../registry/served.ts";
import { isObject, listAt } from "../schema/json.ts";
import { ApiError } from "../types.ts";
import {
  type Bound,
  boundPolicies,
  type PolicyNeeds,
  paramsOf,
  policyGroup,
  valuesOf,
} from "./bound-policies.ts";

const bindingType = `${policyGroup}/validatingadmissionpolicybindings`;
export const policyType = `${policyGroup}/validatingadmissionpolicies`;

/** ValidatingAdmissionPolicy (KEP-3488): what expressions say of a change. */
export function validatePolicies(needs: PolicyNeeds, review: Review): void {
  for (const bound of boundPolicies(needs.world, review, { policies: policyType, bindings: bindingType }))
    enforce(needs, review, bound);
}

function enforce(needs: PolicyNeeds, review: Review, bound: Bound): void {
  const { policyOf, judgePolicy } = cel();
  const policy = policyOf(bound.policy);
  const found = paramsOf(needs.world, review, bound);
  if (typeof found === "string") {
    act(review, bound, { message: found, reason: "Invalid" });
    return;
  }
  const values = valuesOf(needs, review, policy);
  for (const params of found)
    for (const denial of judgePolicy(policy, { ...values, params })) act(review, bound, denial);
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
export const policyHook: AdmissionHook = {
  admit: (object) => object,
  problems: (object) => (isObject(object.spec) ? cel().policyProblems(object) : []),
};

/** What is wrong with the conditions of webhooks. */
export const webhookHook: AdmissionHook = {
  admit: (object) => object,
  problems: (object) =>
    listAt(object, "webhooks")
      .filter(isObject)
      .flatMap((webhook, index) =>
        listAt(webhook, "matchConditions").length === 0
          ? []
          : cel().webhookProblems(webhook, `webhooks[${index}]`),
      ),
};
