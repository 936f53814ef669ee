import { parseQuantity } from "@capstan/formats";
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  sameJson,
  textAt,
} from "../../schema/json.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import { counts } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";

const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** pkg/apis/autoscaling/validation validateHorizontalPodAutoscalerSpec */
export function validateAutoscaler(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const spec = objectAt(object, "spec");
  const before = objectAt(previous, "spec");
  const least = numberAt(spec, "minReplicas");
  const most = numberAt(spec, "maxReplicas") ?? 0;
  report.settle("spec");
  if (least !== undefined && least < 1)
    report.invalid("spec.minReplicas", least, "must be greater than or equal to 1");
  if (most === 0) report.required("spec.maxReplicas", "must be set and greater than 0");
  else if (most < 0) report.invalid("spec.maxReplicas", most, "must be greater than or equal to 1");
  if (least !== undefined && most < least)
    report.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`");
  const target = objectAt(spec, "scaleTargetRef") ?? {};
  const isKept = sameJson(target.apiVersion, objectAt(before, "scaleTargetRef")?.apiVersion);
  validateTarget(report, target, {
    field: "spec.scaleTargetRef",
    version: previous && isKept ? "any" : "grouped",
  });
  validateMetrics(report, spec, least);
  // The share of autoscaling/v1 is held as a metric.
  const share = numberAt(spec, "targetCPUUtilizationPercentage");
  if (share !== undefined && share < 1)
    report.invalid("spec.metrics[0].resource.target.averageUtilization", share, "must be greater than 0");
  for (const name of ["scaleUp", "scaleDown"]) {
    const rules = objectAt(spec, "behavior", name);
    if (rules) validateScaling(report, rules, `spec.behavior.${name}`);
  }
}

interface TargetPlace {
  field: string;
  /** What its version is held to. */
  version: "any" | "grouped" | "plain";
}

/** ValidateCrossVersionObjectReference */
function validateTarget(report: Report, target: JsonObject, { field, version }: TargetPlace): void {
  for (const name of ["kind", "name"]) {
    const value = textAt(target, name);
    report.named(`${field}.${name}`, value, pathSegmentName);
  }
  if (version === "any") return;
  const text = textAt(target, "apiVersion");
  const parts = text.split("/");
  const at = `${field}.apiVersion`;
  if (parts.length > 2) report.invalid(at, text, `unexpected GroupVersion string: ${text}`);
  else if (version === "grouped" && (parts.length < 2 || parts[0] === ""))
    report.invalid(at, text, "apiVersion must specify API group");
}

function validateMetrics(report: Report, spec: JsonObject | undefined, least: number | undefined): void {
  const metrics = listAt(spec, "metrics");
  for (const [index, metric] of metrics.entries())
    validateMetric(report, isObject(metric) ? metric : {}, `spec.metrics[${index}]`);
  const isMeasured = metrics.some((metric) => ["Object", "External"].includes(textAt(metric, "type")));
  if (least === 0 && !isMeasured)
    report.forbidden(
      "spec.metrics",
      "must specify at least one Object or External metric to support scaling to zero replicas",
    );
}

const selections = ["Disabled", "Max", "Min"];

const scalings = ["Percent", "Pods"];

const longestWindowSeconds = 3600;

const longestPeriodSeconds = 1800;

/** validateScalingRules */
function validateScaling(report: Report, rules: JsonObject, field: string): void {
  const seconds = numberAt(rules, "stabilizationWindowSeconds") ?? 0;
  const window = `${field}.stabilizationWindowSeconds`;
  if (seconds < 0) report.invalid(window, seconds, "must be greater than or equal to zero");
  if (seconds > longestWindowSeconds)
    report.invalid(window, seconds, `must be less than or equal to ${longestWindowSeconds}`);
  const selection = rules.selectPolicy;
  report.oneOf(`${field}.selectPolicy`, selection, selections);
  const policies = listAt(rules, "policies");
  if (policies.length === 0) report.required(`${field}.policies`, "must specify at least one Policy");
  for (const [index, policy] of policies.entries()) {
    const at = `${field}.policies[${index}]`;
    const type = textAt(policy, "type");
    if (!scalings.includes(type)) report.unsupported(`${at}.type`, type, scalings);
    for (const name of ["value", "periodSeconds"]) {
      const amount = numberAt(policy, name) ?? 0;
      if (amount <= 0) report.invalid(`${at}.${name}`, amount, "must be greater than zero");
      if (name === "periodSeconds" && amount > longestPeriodSeconds)
        report.invalid(`${at}.${name}`, amount, `must be less than or equal to ${longestPeriodSeconds}`);
    }
  }
}

/** In the order in which the API server looks at them; only the first that is there is looked into. */
const metricSources = ["object", "external", "pods", "resource", "containerResource"];

function validateMetric(report: Report, metric: JsonObject, field: string): void {
  const type = textAt(metric, "type");
  const isKnown = metricTypes.includes(type);
  if (!type) report.required(`${field}.type`, "must specify a metric source type");
  if (!isKnown) report.unsupported(`${field}.type`, type, metricTypes);
  const given = metricSources.filter((name) => isObject(metric[name]));
  const [first] = given;
  if (first !== undefined) validateMetricSource(report, first, { metric, field: `${field}.${first}` });
  const wanted = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;
  if (!isKnown) report.unsupported(`${field}.type`, type, metricTypes);
  else if (!given.includes(wanted))
    report.required(`${field}.${wanted}`, "must populate information for the given metric source");
  if (given.length !== 1)
    for (const name of given.filter((one) => one !== wanted))
      report.forbidden(`${field}.${name}`, "must populate the given metric source only");
}

function validateMetricSource(
  report: Report,
  name: string,
  { metric, field }: { metric: JsonObject; field: string },
): void {
  const source = objectAt(metric, name) ?? {};
  const target = objectAt(source, "target") ?? {};
  const at = `${field}.target`;
  const has = (value: string): boolean => target[value] !== undefined;
  const isResource = name === "resource" || name === "containerResource";
  if (name === "object")
    validateTarget(report, objectAt(source, "describedObject") ?? {}, {
      field: `${field}.describedObject`,
      version: "plain",
    });
  if (isResource) {
    if (!textAt(source, "name")) report.required(`${field}.name`, "must specify a resource name");
    if (name === "containerResource" && !textAt(source, "container"))
      report.required(`${field}.container`, "must specify a container");
  } else validateMetricName(report, objectAt(source, "metric"), `${field}.metric`);
  validateMetricTarget(report, target, at);
  if (name === "object" && !has("value") && !has("averageValue"))
    report.required(`${at}.averageValue`, "must set either a target value or averageValue");
  if (name === "pods" && !has("averageValue"))
    report.required(`${at}.averageValue`, "must specify a positive target averageValue");
  if (name === "external" && !has("value") && !has("averageValue"))
    report.required(`${at}.averageValue`, "must set either a target value for metric or a per-pod target");
  if (name === "external" && has("value") && has("averageValue"))
    report.forbidden(`${at}.value`, "may not set both a target value for metric and a per-pod target");
  if (isResource && !has("averageUtilization") && !has("averageValue"))
    report.required(`${at}.averageUtilization`, "must set either a target raw value or a target utilization");
  if (isResource && has("averageUtilization") && has("averageValue"))
    report.forbidden(`${at}.averageValue`, "may not set both a target raw value and a target utilization");
}

function validateMetricName(report: Report, metric: JsonObject | undefined, field: string): void {
  const name = textAt(metric, "name");
  if (!name) report.required(`${field}.name`, "must specify a metric name");
  else report.syntax(`${field}.name`, name, pathSegmentName(name));
  validateSelector(report, objectAt(metric, "selector"), `${field}.selector`);
}

const targetTypes = ["Utilization", "Value", "AverageValue"];

function validateMetricTarget(report: Report, target: JsonObject, field: string): void {
  const type = textAt(target, "type");
  if (!type) report.required(`${field}.type`, "must specify a metric target type");
  if (!targetTypes.includes(type))
    report.invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue");
  for (const name of ["value", "averageValue"]) {
    const amount = target[name];
    if (amount !== undefined && (parseQuantity(`${amount}`)?.nanos ?? 0n) <= 0n)
      report.invalid(`${field}.${name}`, `${amount}`, "must be positive");
  }
  const share = numberAt(target, "averageUtilization");
  if (share !== undefined && share < 1)
    report.invalid(`${field}.averageUtilization`, share, "must be greater than 0");
}

export const autoscalerStatus = counts({ notNegative: ["currentReplicas", "desiredReplicas"] });
