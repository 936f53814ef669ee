import type { KubeObject } from "../../types.ts";
import { goValue } from "../go-value.ts";
import { type JsonObject, objectAt, textAt, valueAt } from "../json.ts";
import { atMostWhole, countOrPercent } from "./names.ts";
import type { Report } from "./report.ts";
import {
  isNone,
  refuseDeadline,
  validateNotNegative,
  validateSame,
  validateTemplate,
  validateTemplateSelector,
} from "./workload.ts";

/** pkg/apis/apps/validation ValidateDaemonSet and ValidateDaemonSetUpdate */
export function validateDaemonSet(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  validateSame(report, { object, previous, field: "spec.selector" });
  validateTemplateSelector(report, object, { kind: "daemonset", required: false });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  refuseDeadline(report, object, "DaemonSet");
  validateNotNegative(report, object, ["spec.minReadySeconds"]);
  validateStrategy(report, objectAt(object, "spec", "updateStrategy") ?? {});
  validateNotNegative(report, object, ["spec.revisionHistoryLimit"]);
}

function validateStrategy(report: Report, strategy: JsonObject): void {
  const field = "spec.updateStrategy";
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  report.settle(field);
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate")
    report.unsupported(field, goValue("apps.DaemonSetUpdateStrategy", strategy), [
      "RollingUpdate",
      "OnDelete",
    ]);
  else if (rolling) validateRolling(report, rolling, `${field}.rollingUpdate`);
  else report.required(`${field}.rollingUpdate`);
}

function validateRolling(report: Report, rolling: JsonObject, field: string): void {
  const names = ["maxUnavailable", "maxSurge"];
  const amountOf = (name: string): unknown => rolling[name] ?? 0;
  for (const rule of [countOrPercent, atMostWhole])
    for (const name of names)
      for (const problem of rule(amountOf(name))) report.invalid(`${field}.${name}`, amountOf(name), problem);
  const none = names.map((name) => isNone(amountOf(name)));
  if (none.every(Boolean)) report.required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
  else if (!none.some(Boolean))
    report.invalid(
      `${field}.maxSurge`,
      amountOf("maxSurge"),
      "may not be set when maxUnavailable is non-zero",
    );
}
