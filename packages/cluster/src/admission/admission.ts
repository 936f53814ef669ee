import type { Admission, World } from "../objects/world.ts";
import type { Rbac } from "../security/rbac.ts";
import { guardEscalation } from "./escalation.ts";
import { applyLimitDefaults, validateLimits } from "./limit-ranges.ts";
import { mutateByPolicies } from "./mutations.ts";
import { validatePolicies } from "./policies.ts";
import { chargeQuotas } from "./quotas.ts";

interface Needs {
  rbac: Rbac;
  /** Known only after the world is made, of which admission is a part. */
  world: () => World;
}

export function createAdmission({ rbac, world }: Needs): Admission {
  return {
    guard: (review) => guardEscalation(rbac, review),
    mutate(review, object) {
      const limited = applyLimitDefaults(world().store, review, object);
      return mutateByPolicies({ world: world(), rbac }, { ...review, object: limited }, limited);
    },
    validate(review) {
      validateLimits(world().store, review);
      validatePolicies({ world: world(), rbac }, review);
      chargeQuotas(world(), review);
    },
  };
}
