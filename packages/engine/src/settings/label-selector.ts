import { isRecord } from "@capstan/model";

type Labels = Readonly<Record<string, string>>;

/** metav1.LabelSelector. What cannot be understood selects: whoever asks is looking for what restricts. */
export function selectsLabels(selector: unknown, labels: Labels): boolean {
  if (!isRecord(selector)) return true;
  const { matchLabels, matchExpressions } = selector;
  const wanted = isRecord(matchLabels) ? Object.entries(matchLabels) : [];
  const expressions: readonly unknown[] = Array.isArray(matchExpressions) ? matchExpressions : [];
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    expressions.every((expression) => !isRecord(expression) || matches(expression, labels))
  );
}

function matches(expression: Readonly<Record<string, unknown>>, labels: Labels): boolean {
  const { key, operator, values } = expression;
  const label = typeof key === "string" ? labels[key] : undefined;
  const isIn = label !== undefined && Array.isArray(values) && values.includes(label);
  switch (operator) {
    case "In":
      return isIn;
    case "NotIn":
      return !isIn;
    case "Exists":
      return label !== undefined;
    case "DoesNotExist":
      return label === undefined;
    default:
      return true;
  }
}
