import type { Admission } from "../objects/world.ts";
import type { Rbac } from "../security/rbac.ts";
import { guardEscalation } from "./escalation.ts";

interface Needs {
  rbac: Rbac;
}

export function createAdmission({ rbac }: Needs): Admission {
  return {
    guard: (review) => guardEscalation(rbac, review),
    mutate: (_review, object) => object,
    validate: () => undefined,
  };
}
