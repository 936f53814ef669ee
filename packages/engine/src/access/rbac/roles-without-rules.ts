import { builtinPolicy } from "./builtin-policy.ts";
import { compilePolicy } from "./compile-policy.ts";
import type { Policy } from "./policy.ts";
import { rolesOf } from "./roles-of.ts";

/** Roles that somebody has and that give nothing (util/rbac CheckUserDefinedRoleReferentialIntegrity), but built-in ones. */
export function rolesWithoutRules(policy: Policy): string[] {
  const compiled = compilePolicy(policy, "glob");
  const builtin = new Set(builtinPolicy.rules.map(({ subject }) => subject));
  const roles = [...new Set(policy.grants.map(({ role }) => role))];
  return roles.filter((role) => {
    const names = rolesOf(role, { policies: [compiled], first: [compiled] });
    return ![...names].some((name) => builtin.has(name) || compiled.rules.has(name));
  });
}
