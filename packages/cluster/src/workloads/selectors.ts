import type { LabelSelector, SelectorRequirement } from "./kinds.ts";

export type Labels = Readonly<Record<string, string>>;

/** A label selector that selects nothing when absent and everything when empty, as apps/v1 has it. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labels?.[key] !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) =>
    meets(requirement, labels?.[requirement.key]),
  );
}

/** One requirement of a label or node selector against the value of its key, undefined when there is none. */
export function meets({ operator, values = [] }: SelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
