import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { atMostWhole, countOrPercent } from "./names.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";

const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

export function validateAutoscaler(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const least = numberAt(spec, "minReplicas");
  const most = numberAt(spec, "maxReplicas") ?? 0;
  if (least !== undefined && least < 1)
    report.invalid("spec.minReplicas", least, "must be greater than or equal to 1");
  const scalesToNothing = listAt(spec, "metrics").some((metric) =>
    ["Object", "External"].includes(textAt(metric, "type")),
  );
  if (most < 1) report.required("spec.maxReplicas", "must be set and greater than 0");
  if (least !== undefined && most < least)
    report.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`");
  const target = objectAt(spec, "scaleTargetRef");
  for (const name of ["kind", "name"])
    if (!textAt(target, name)) report.required(`spec.scaleTargetRef.${name}`);
  if (!textAt(target, "apiVersion"))
    report.invalid("spec.scaleTargetRef.apiVersion", "", "apiVersion must specify API group");
  for (const [index, metric] of listAt(spec, "metrics").entries())
    validateMetric(report, metric, `spec.metrics[${index}]`);
  if (least === 0 && !scalesToNothing)
    report.forbidden(
      "spec.metrics",
      "must specify at least one Object or External metric to support scaling to zero replicas",
    );
}

function validateMetric(report: Report, metric: unknown, field: string): void {
  const type = textAt(metric, "type");
  if (!metricTypes.includes(type)) {
    report.unsupported(`${field}.type`, type, metricTypes);
    report.unsupported(`${field}.type`, type, metricTypes);
    return;
  }
  const source = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;
  if (!objectAt(metric, source)) {
    report.required(`${field}.${source}`, "must populate information for the given metric source");
    return;
  }
  const target = objectAt(metric, source, "target");
  const share = numberAt(target, "averageUtilization");
  if (share !== undefined && share < 1)
    report.invalid(`${field}.${source}.target.averageUtilization`, share, "must be greater than 0");
  const isResource = type === "Resource" || type === "ContainerResource";
  if (isResource && target?.averageUtilization === undefined && target?.averageValue === undefined)
    report.required(
      `${field}.${source}.target.averageUtilization`,
      "must set either a target raw value or a target utilization",
    );
}

export function validateDisruptionBudget(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const both = ["minAvailable", "maxUnavailable"].map((name) => valueAt(spec, name));
  if (both.every((value) => value !== undefined))
    report.invalid(
      "spec",
      {
        MinAvailable: both[0],
        Selector: spec?.selector ?? null,
        MaxUnavailable: both[1],
        UnhealthyPodEvictionPolicy: spec?.unhealthyPodEvictionPolicy ?? null,
      },
      "minAvailable and maxUnavailable cannot be both set",
    );
  for (const [index, name] of ["minAvailable", "maxUnavailable"].entries()) {
    const value = both[index];
    if (value === undefined) continue;
    for (const problem of [...countOrPercent(value), ...atMostWhole(value)])
      report.invalid(`spec.${name}`, value, problem);
  }
  validateSelector(report, objectAt(spec, "selector"), "spec.selector");
}
