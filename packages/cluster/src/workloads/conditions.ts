import type { Condition } from "./kinds.ts";

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** Adds or replaces by type; lastTransitionTime stays while the status stays. Order is kept. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  condition: Condition,
  now: string,
): readonly Condition[] {
  const known = findCondition(conditions, condition.type);
  const lastTransitionTime =
    known?.status === condition.status && known.lastTransitionTime ? known.lastTransitionTime : now;
  const next = { ...condition, lastTransitionTime };
  if (!known) return [...(conditions ?? []), next];
  return (conditions ?? []).map((one) => (one === known ? next : one));
}

export function withoutCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): readonly Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
