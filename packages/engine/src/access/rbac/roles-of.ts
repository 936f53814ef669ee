import type { CompiledPolicy } from "./compile-policy.ts";

/** casbin's NewRoleManagerImpl(10): roles further away are not looked for. */
const mostSteps = 10;

/** The name itself and every role that it has. `first`: by which policies it has the first of them. */
export function rolesOf(
  name: string,
  { policies, first }: { policies: readonly CompiledPolicy[]; first: readonly CompiledPolicy[] },
): Set<string> {
  const found = new Set([name]);
  let edge: readonly string[] = [name];
  for (let step = 0; step < mostSteps && edge.length > 0; step++) {
    const asked = step === 0 ? first : policies;
    const next = edge.flatMap((one) => asked.flatMap(({ roles }) => roles.get(one) ?? []));
    edge = next.filter((role) => !found.has(role) && found.add(role));
  }
  return found;
}
