import { type JsonObject, listAt, objectAt, textAt } from "../json.ts";
import { labelValue, qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";

/** metav1validation.ValidateLabelSelector; true when nothing was wrong. */
export function validateSelector(report: Report, selector: JsonObject | undefined, field: string): boolean {
  const before = report.errors.length;
  const labels = Object.entries(objectAt(selector, "matchLabels") ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of labels) {
    report.syntax(`${field}.matchLabels`, key, qualifiedName(key));
    report.syntax(`${field}.matchLabels`, `${value}`, labelValue(`${value}`));
  }
  for (const [index, expression] of listAt(selector, "matchExpressions").entries())
    validateExpression(report, expression, `${field}.matchExpressions[${index}]`);
  return report.errors.length === before;
}

function validateExpression(report: Report, expression: unknown, field: string): void {
  if (!validateOperator(report, expression, field))
    report.invalid(`${field}.operator`, textAt(expression, "operator"), "not a valid selector operator");
  validateKeyAndValues(report, expression, field);
}

/** The operators that every selector has, and how many values each takes; false for any other operator. */
export function validateOperator(report: Report, expression: unknown, field: string): boolean {
  const values = listAt(expression, "values");
  const operator = textAt(expression, "operator");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      report.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    return true;
  }
  if (operator !== "Exists" && operator !== "DoesNotExist") return false;
  if (values.length > 0)
    report.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  return true;
}

export function validateKeyAndValues(report: Report, expression: unknown, field: string): void {
  const key = textAt(expression, "key");
  report.syntax(`${field}.key`, key, qualifiedName(key));
  for (const [index, value] of listAt(expression, "values").entries())
    report.syntax(`${field}.values[${index}]`, `${value}`, labelValue(`${value}`));
}

export function isEmptySelector(selector: JsonObject | undefined): boolean {
  const labels = Object.keys(objectAt(selector, "matchLabels") ?? {});
  return labels.length === 0 && listAt(selector, "matchExpressions").length === 0;
}
