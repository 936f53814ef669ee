import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, textAt } from "../json.ts";
import { conditionReason, qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";

const statuses = ["False", "True", "Unknown"];

/** metav1validation.ValidateConditions, of status.conditions. */
export function validateConditionList(report: Report, conditions: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const field = `status.conditions[${index}]`;
    const [type, status] = [textAt(condition, "type"), textAt(condition, "status")];
    report.unique(`${field}.type`, type, seen);
    report.syntax(`${field}.type`, type, qualifiedName(type));
    if (!statuses.includes(status)) report.unsupported(`${field}.status`, status, statuses);
    const generation = numberAt(condition, "observedGeneration") ?? 0;
    if (generation < 0)
      report.invalid(`${field}.observedGeneration`, generation, "must be greater than or equal to zero");
    if (!textAt(condition, "lastTransitionTime")) report.required(`${field}.lastTransitionTime`);
    const reason = textAt(condition, "reason");
    if (reason) report.syntax(`${field}.reason`, reason, conditionReason(reason));
    else report.required(`${field}.reason`);
  }
}

/** Of the kinds of flow control only the types are looked at. */
export function validateConditionTypes(report: Report, object: KubeObject): void {
  const seen = new Set<string>();
  for (const [index, condition] of listAt(object, "status", "conditions").entries()) {
    const type = textAt(condition, "type");
    const field = `status.conditions[${index}].type`;
    report.unique(field, type, seen);
    if (!type) report.required(field);
  }
}
