import { isRecord } from "./is-record.ts";

export type Labels = Readonly<Record<string, unknown>>;

/** One requirement of a selector (metav1.LabelSelectorRequirement, and a node's, which also has Gt and Lt). */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Whether the value of a requirement's key meets it; undefined where there is none. No operator is met but the known. */
export function meetsRequirement(
  { operator, values = [] }: { readonly operator: string; readonly values?: readonly unknown[] | undefined },
  value: unknown,
): boolean {
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
    case "Lt": {
      const [one, other] = [integerOf(value), integerOf(values[0])];
      return one !== undefined && other !== undefined && (operator === "Gt" ? one > other : one < other);
    }
    default:
      return false;
  }
}

export function integerOf(value: unknown): bigint | undefined {
  return typeof value === "string" && /^[+-]?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

/**
 * Whether labels satisfy a metav1.LabelSelector, whose values may be anything: one that is absent selects nothing, an
 * empty one everything (metav1.LabelSelectorAsSelector).
 */
export function selectsLabels(selector: unknown, labels: Labels = {}): boolean {
  if (!isRecord(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  if (isRecord(matchLabels))
    for (const key of Object.keys(matchLabels)) if (labelOf(labels, key) !== matchLabels[key]) return false;
  return (
    !Array.isArray(matchExpressions) ||
    requirementsOf(matchExpressions).every((one) => meetsRequirement(one, labelOf(labels, one.key)))
  );
}

function labelOf(labels: Labels, key: string): unknown {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function requirementsOf(expressions: readonly unknown[]): Requirement[] {
  return expressions.filter(isRecord).map(({ key, operator, values }) => ({
    key: String(key ?? ""),
    operator: String(operator ?? ""),
    values: Array.isArray(values) ? values.map(String) : [],
  }));
}

/** A selector as text, "a=b,c in (d,e),!f" (labels.Selector.String); "" for one that is empty or absent. */
export function printLabelSelector(selector: unknown): string {
  if (!isRecord(selector)) return "";
  const { matchLabels, matchExpressions } = selector;
  const terms = isRecord(matchLabels)
    ? Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }))
    : [];
  for (const one of requirementsOf(Array.isArray(matchExpressions) ? matchExpressions : []))
    terms.push({ key: one.key, text: printRequirement(one) });
  terms.sort((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key)));
  return terms.map(({ text }) => text).join(",");
}

function printRequirement({ key, operator, values }: Requirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator === "NotIn" ? "notin" : "in"} (${[...values].sort().join(",")})`;
}
