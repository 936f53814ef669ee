import type { KubeObject } from "../../types.ts";
import { listAt, objectAt, sameJson, textAt } from "../json.ts";
import { addressRange, labelValue, qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";
import { validateFeatures } from "./status.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** pkg/apis/core/validation ValidateNode and ValidateNodeUpdate: taints are reported below metadata there. */
export function validateNode(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateTaints(report, listAt(object, "spec", "taints"));
  validateFeatures(report, object);
  for (const [index, range] of listAt(object, "spec", "podCIDRs").entries())
    report.syntax(`spec.podCIDRs[${index}]`, `${range}`, addressRange(`${range}`));
  const before = objectAt(previous, "spec");
  const now = objectAt(object, "spec");
  const ranges = listAt(before, "podCIDRs");
  if (ranges.length > 0 && !sameJson(ranges, listAt(now, "podCIDRs")))
    report.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  const provider = textAt(before, "providerID");
  if (provider && provider !== textAt(now, "providerID"))
    report.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  if (before && textAt(before, "externalID") !== textAt(now, "externalID"))
    report.forbidden("spec.externalID", "may not be updated");
}

function validateTaints(report: Report, taints: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [textAt(taint, "key"), textAt(taint, "value"), textAt(taint, "effect")];
    report.syntax(`${field}.key`, key, qualifiedName(key));
    report.syntax(`${field}.value`, value, labelValue(value));
    if (!effect) report.required(`${field}.effect`);
    else if (!effects.includes(effect)) report.unsupported(`${field}.effect`, effect, effects);
    const printed = { Key: key, Value: value, Effect: effect, TimeAdded: objectAt(taint)?.timeAdded ?? null };
    if (seen.has(`${key} ${effect}`))
      report.duplicate(field, printed, "taints must be unique by key and effect pair");
    seen.add(`${key} ${effect}`);
  }
}
