import { type JsonObject, listAt, textAt } from "../json.ts";
import { subdomainName } from "./names.ts";
import type { Report } from "./report.ts";
import { validateKeyAndValues, validateOperator } from "./selector.ts";

/** pkg/apis/core/validation ValidateNodeSelector */
export function validateNodeSelector(report: Report, selector: JsonObject, field: string): void {
  const terms = listAt(selector, "nodeSelectorTerms");
  const at = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) report.required(at, "must have at least one node selector term");
  for (const [index, term] of terms.entries()) validateNodeTerm(report, term, `${at}[${index}]`);
}

export function validateNodeTerm(report: Report, term: unknown, field: string): void {
  for (const [index, item] of listAt(term, "matchExpressions").entries())
    validateExpression(report, item, `${field}.matchExpressions[${index}]`);
  for (const [index, item] of listAt(term, "matchFields").entries())
    validateField(report, item, `${field}.matchFields[${index}]`);
}

function validateExpression(report: Report, item: unknown, field: string): void {
  const [operator, values] = [textAt(item, "operator"), listAt(item, "values")];
  report.settle(field);
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1)
      report.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else if (!validateOperator(report, item, field))
    report.invalid(`${field}.operator`, operator, "not a valid selector operator");
  validateKeyAndValues(report, item, field);
}

function validateField(report: Report, item: unknown, field: string): void {
  const [operator, key, values] = [textAt(item, "operator"), textAt(item, "key"), listAt(item, "values")];
  report.settle(field);
  if (operator !== "In" && operator !== "NotIn")
    report.invalid(`${field}.operator`, operator, "not a valid selector operator");
  else if (values.length !== 1)
    report.required(
      `${field}.values`,
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  if (key !== "metadata.name") report.invalid(`${field}.key`, key, "not a valid field selector key");
  else
    for (const [index, value] of values.entries())
      report.syntax(`${field}.values[${index}]`, `${value}`, subdomainName(`${value}`));
}
