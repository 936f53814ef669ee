import { describeProblem, type Policy, rolesWithoutRules } from "@capstan/engine";
import type { Io } from "../../io.ts";

/** The lines that make the policy none; what else there is to say is said at once. */
export function tellPolicy(policy: Policy, io: Io): string[] {
  const [unreadable, noted] = [true, false].map((isWanted) =>
    policy.problems.filter(({ isUnreadable }) => isUnreadable === isWanted).map(describeProblem),
  );
  for (const note of noted ?? []) io.err(`warning: ${note}\n`);
  const roles = rolesWithoutRules(policy);
  if (roles.length > 0) io.err(`warning: user defined roles not found in policies: ${roles.join(",")}\n`);
  return unreadable ?? [];
}
