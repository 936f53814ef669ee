import type { Admission, Review, World } from "../objects/world.ts";
import { asWritten } from "../registry/convert.ts";
import type { Rbac } from "../security/rbac.ts";
import { requireAccess } from "../security/require-access.ts";
import { mutateByWebhooks, validateByWebhooks } from "./admit-by-webhooks.ts";
import { mutatingType, validatingType } from "./configured-webhooks.ts";
import { guardEscalation } from "./escalation.ts";
import { applyLimitDefaults, validateLimits } from "./limit-ranges.ts";
import { mutateByPolicies, mutatingPolicyType } from "./mutations.ts";
import { policyType, validatePolicies } from "./policies.ts";
import { chargeQuotas } from "./quotas.ts";

interface Needs {
  rbac: Rbac;
  /** Known only after the world is made, of which admission is a part. */
  world: () => World;
}

const awaiting = [mutatingPolicyType, policyType, mutatingType, validatingType];

export function createAdmission({ rbac, world }: Needs): Admission {
  return {
    isAwaited: () => awaiting.some((type) => world().store.count(type) > 0),
    guard: (review) => guardEscalation(rbac, review),
    mutate(review, object) {
      const limited = applyLimitDefaults(world().store, review, object);
      const needs = { world: world(), rbac };
      const made = mutateByPolicies(needs, { ...review, object: limited }, limited);
      return mutateByWebhooks(needs, { ...review, object: made }, made);
    },
    validate(review) {
      requireCreation(rbac, review);
      validateLimits(world().store, review);
      validatePolicies({ world: world(), rbac }, review);
      validateByWebhooks({ world: world(), rbac }, review);
      if (review.object !== undefined) asWritten(review.served, review.object);
      chargeQuotas(world(), review);
    },
  };
}

/** Who may update or patch may not for that create what is absent (apiserver handlers withAuthorization). */
function requireCreation(rbac: Rbac, { operation, requester, verb = "create", ...review }: Review): void {
  if (operation !== "CREATE" || verb === "create" || requester === undefined) return;
  const { served, subresource, namespace, name } = review;
  const { group, resource } = served.info;
  const info = { verb: "create", group, resource, subresource, namespace, name, path: "" };
  requireAccess(rbac, { user: requester, info });
}
