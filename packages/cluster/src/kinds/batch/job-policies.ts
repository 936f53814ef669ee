import { goValue } from "../../schema/go-value.ts";
import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { notNegative, qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { countIndexes, indexProblem } from "./job-indexes.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

const statuses = ["False", "True", "Unknown"];

const operators = ["In", "NotIn"];

/** What Go prints of a list of texts with %q. */
const quoted = (texts: readonly string[]): string => `[${texts.map((text) => `"${text}"`).join(" ")}]`;

/** pkg/apis/batch/validation validatePodFailurePolicy */
export function validateFailurePolicy(report: Report, spec: JsonObject, field: string): void {
  report.settle(field);
  const rules = listAt(spec, "podFailurePolicy", "rules");
  if (rules.length > 20) report.tooMany(`${field}.rules`, rules.length, 20);
  const pod = objectAt(spec, "template", "spec");
  const names = ["containers", "initContainers"].flatMap((list) =>
    listAt(pod, list).map((container) => textAt(container, "name")),
  );
  for (const [index, rule] of rules.entries())
    validateFailureRule(report, rule, { field: `${field}.rules[${index}]`, spec, names });
}

function validateFailureRule(
  report: Report,
  rule: unknown,
  { field, spec, names }: { field: string; spec: JsonObject; names: readonly string[] },
): void {
  const action = textAt(rule, "action");
  const at = `${field}.action`;
  if (!action) report.required(at, `valid values: ${quoted(actions)}`);
  else if (action === "FailIndex") {
    if (spec.backoffLimitPerIndex === undefined)
      report.invalid(at, action, "requires the backoffLimitPerIndex to be set");
  } else if (!actions.includes(action)) report.unsupported(at, action, actions);
  const codes = objectAt(rule, "onExitCodes");
  const conditions = listAt(rule, "onPodConditions");
  if (codes) validateExitCodes(report, codes, { field: `${field}.onExitCodes`, names });
  if (conditions.length > 20) report.tooMany(`${field}.onPodConditions`, conditions.length, 20);
  for (const [index, pattern] of conditions.entries())
    validatePattern(report, pattern, `${field}.onPodConditions[${index}]`);
  if (codes && conditions.length > 0)
    report.wrong(field, "specifying both OnExitCodes and OnPodConditions is not supported");
  if (!codes && conditions.length === 0)
    report.wrong(field, "specifying one of OnExitCodes and OnPodConditions is required");
}

function validatePattern(report: Report, pattern: unknown, field: string): void {
  const [type, status] = [textAt(pattern, "type"), textAt(pattern, "status")];
  report.syntax(`${field}.type`, type, qualifiedName(type));
  if (!status) report.required(`${field}.status`, `valid values: ${quoted(statuses)}`);
  else if (!statuses.includes(status)) report.unsupported(`${field}.status`, status, statuses);
}

function validateExitCodes(
  report: Report,
  codes: JsonObject,
  { field, names }: { field: string; names: readonly string[] },
): void {
  const [operator, container] = [textAt(codes, "operator"), codes.containerName];
  if (!operator) report.required(`${field}.operator`, `valid values: ${quoted(operators)}`);
  else if (!operators.includes(operator)) report.unsupported(`${field}.operator`, operator, operators);
  if (typeof container === "string" && !names.includes(container))
    report.invalid(
      `${field}.containerName`,
      container,
      "must be one of the container or initContainer names in the pod template",
    );
  const values = listAt(codes, "values");
  if (values.length === 0)
    report.invalid(`${field}.values`, codes.values ?? null, "at least one value is required");
  else if (values.length > 255) report.tooMany(`${field}.values`, values.length, 255);
  for (const [index, value] of values.entries()) {
    const at = `${field}.values[${index}]`;
    if (operator === "In" && value === 0) report.invalid(at, value, "must not be 0 for the In operator");
    if (values.indexOf(value) < index) report.duplicate(at, value);
  }
  const isOrdered = values.every((value, index) => index === 0 || Number(values[index - 1]) <= Number(value));
  if (!isOrdered) report.invalid(`${field}.values`, values, "must be ordered");
}

/** pkg/apis/batch/validation validateSuccessPolicy */
export function validateSuccessPolicy(report: Report, spec: JsonObject, field: string): void {
  report.settle(field);
  if (spec.completionMode !== "Indexed") {
    const printed = goValue("batch.SuccessPolicy", spec.successPolicy);
    report.invalid(field, printed, "requires indexed completion mode");
    return;
  }
  const rules = listAt(spec, "successPolicy", "rules");
  if (rules.length === 0)
    report.required(
      `${field}.rules`,
      "at least one rules must be specified when the successPolicy is specified",
    );
  if (rules.length > 20) report.tooMany(`${field}.rules`, rules.length, 20);
  const completions = numberAt(spec, "completions") ?? 0;
  for (const [index, rule] of rules.entries())
    validateSuccessRule(report, rule, { field: `${field}.rules[${index}]`, completions });
}

function validateSuccessRule(
  report: Report,
  rule: unknown,
  { field, completions }: { field: string; completions: number },
): void {
  const count = numberAt(rule, "succeededCount");
  const indexes = objectAt({ rule }, "rule")?.succeededIndexes;
  if (count === undefined && indexes === undefined)
    report.required(field, "at least one of succeededCount or succeededIndexes must be specified");
  const problem = typeof indexes === "string" ? indexProblem(indexes, completions) : undefined;
  if (problem !== undefined)
    report.invalid(`${field}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${problem}`);
  if (count === undefined) return;
  const at = `${field}.succeededCount`;
  if (count < 0) report.invalid(at, count, notNegative);
  if (count > completions)
    report.invalid(
      at,
      count,
      `must be less than or equal to ${completions} (the number of specified completions)`,
    );
  const total = typeof indexes === "string" && problem === undefined ? countIndexes(indexes) : 0;
  if (indexes !== undefined && count > total)
    report.invalid(
      at,
      count,
      `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
    );
}
