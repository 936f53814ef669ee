import { listAt, textAt, valueAt } from "../schema/json.ts";
import type { Report } from "../schema/validation/report.ts";
import type { Schema } from "../types.ts";
import { type Rule, rulesOf } from "./rules.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

interface At {
  schema: Schema;
  field: string;
  isRoot: boolean;
  /** The list or map below which no value keeps its place from one version to the next. */
  uncorrelated: string | undefined;
}

/** What is wrong with the rules at one node of a definition (apiextensions-apiserver validation.go ValidateCustomResourceDefinitionOpenAPISchema). */
export function ruleProblems(report: Report, { schema, field, isRoot, uncorrelated }: At): void {
  const found = rulesOf(schema, isRoot);
  for (const [index, rule] of (found?.rules ?? []).entries())
    checkRule(report, rule, { schema, field: `${field}.x-kubernetes-validations[${index}]`, uncorrelated });
}

interface RuleAt {
  schema: Schema;
  field: string;
  uncorrelated: string | undefined;
}

function checkRule(report: Report, rule: Rule, at: RuleAt): void {
  const { field, schema, uncorrelated } = at;
  const { written } = rule;
  const source = textAt(written, "rule");
  if (source.trim() === "") {
    report.required(`${field}.rule`, "rule is not specified");
    return;
  }
  checkTexts(report, rule, { field, schema });
  if ("problem" in rule.rule)
    refuse(report, { rule, field: `${field}.rule`, why: `compilation failed: ${rule.rule.problem}` });
  else if (rule.rule.type !== "bool")
    refuse(report, { rule, field: `${field}.rule`, why: "cel expression must evaluate to a bool" });
  else if (rule.usesOld && uncorrelated !== undefined)
    report.invalid(
      `${field}.rule`,
      source,
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`,
    );
  if (written.optionalOldSelf === true && !rule.usesOld)
    report.invalid(`${field}.optionalOldSelf`, true, "may not be set if oldSelf is not used in rule");
  checkMessage(report, rule, field);
}

function checkTexts(
  report: Report,
  { written }: Rule,
  { field, schema }: Pick<RuleAt, "field" | "schema">,
): void {
  const message = textAt(written, "message");
  if (written.message !== undefined && message !== "" && message.trim() === "")
    report.invalid(`${field}.message`, message, "must be non-empty if specified");
  else if (message.trim().includes("\n"))
    report.invalid(`${field}.message`, message, "must not contain line breaks");
  else if (/\n/.test(textAt(written, "rule").trim()) && message === "")
    report.required(`${field}.message`, "message must be specified if rule contains line breaks");
  const reason = textAt(written, "reason");
  if (reason !== "" && !reasons.includes(reason)) report.unsupported(`${field}.reason`, reason, reasons);
  const path = textAt(written, "fieldPath");
  if (path !== "" && !leadsSomewhere(schema, path))
    report.invalid(`${field}.fieldPath`, path, "must be a valid path");
}

function checkMessage(report: Report, rule: Rule, field: string): void {
  const { message } = rule;
  if (message === undefined) return;
  const at = `${field}.messageExpression`;
  if ("problem" in message)
    refuse(report, { rule, field: at, why: `messageExpression compilation failed: ${message.problem}` });
  else if (message.type !== "string")
    refuse(report, { rule, field: at, why: "messageExpression must evaluate to a string" });
}

interface Refusal {
  rule: Rule;
  field: string;
  why: string;
}

/** The rule is shown as Go's JSON of the internal type. */
function refuse(report: Report, { rule: { written }, field, why }: Refusal): void {
  const shown = {
    Rule: textAt(written, "rule"),
    Message: textAt(written, "message"),
    MessageExpression: textAt(written, "messageExpression"),
    Reason: written.reason ?? null,
    FieldPath: textAt(written, "fieldPath"),
    OptionalOldSelf: written.optionalOldSelf ?? null,
  };
  const json = JSON.stringify(shown).replaceAll(
    /[<>&]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  report.errors.push({ reason: "FieldValueInvalid", field, message: `Invalid value: ${json}: ${why}` });
}

function leadsSomewhere(schema: Schema, path: string): boolean {
  const steps = [...path.matchAll(/\.([^.[\]]+)|\['((?:\\.|[^'])*)'\]/g)];
  if (steps.map(([step]) => step).join("") !== path) return false;
  let here: unknown = schema;
  for (const [, dotted, quoted = ""] of steps) {
    const name = dotted ?? quoted.replaceAll(/\\(.)/g, "$1");
    here = valueAt(here, "properties", name) ?? valueAt(here, "additionalProperties");
    if (typeof here !== "object") return false;
  }
  return listAt(here, "items").length === 0;
}
