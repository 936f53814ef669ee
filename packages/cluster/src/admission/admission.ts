import type { Admission, World } from "../objects/world.ts";
import type { Rbac } from "../security/rbac.ts";
import { guardEscalation } from "./escalation.ts";
import { validatePolicies } from "./policies.ts";

interface Needs {
  rbac: Rbac;
  world: Pick<World, "store" | "registry" | "clock">;
}

export function createAdmission({ rbac, world }: Needs): Admission {
  return {
    guard: (review) => guardEscalation(rbac, review),
    mutate: (_review, object) => object,
    validate: (review) => validatePolicies({ world, rbac }, review),
  };
}
