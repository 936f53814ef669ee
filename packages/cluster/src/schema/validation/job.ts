import type { KubeObject } from "../../types.ts";
import { numberAt, objectAt, sameJson, sortedKeys, textAt, valueAt } from "../json.ts";
import { validateLabels } from "./metadata.ts";
import { validatePodSpec } from "./pod-spec.ts";
import type { Report } from "./report.ts";
import { selects } from "./selector.ts";
import { validateNotNegative } from "./workload.ts";

const amounts = [
  "parallelism",
  "completions",
  "backoffLimit",
  "activeDeadlineSeconds",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

export function validateJob(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateJobSpec(report, object, previous);
  if (!previous) return;
  // Both Validate and ValidateUpdate of the strategy look at the whole specification.
  validateJobSpec(report, object, previous);
  validateJobUpdate(report, object, previous);
}

function validateJobSpec(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  const uid = object.metadata.uid ?? "";
  const selector = objectAt(spec, "selector");
  const labels = objectAt(spec, "template", "metadata", "labels");
  if (!previous && spec?.manualSelector !== true) {
    const only = { "batch.kubernetes.io/controller-uid": uid };
    if (selector && !sameJson(objectAt(selector, "matchLabels"), only))
      report.invalid("spec.selector", sortedKeys(selector), "`selector` not auto-generated");
  }
  if (!selector) report.required("spec.selector");
  if (!selects(selector, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      sortedKeys(labels ?? null),
      "`selector` does not match template `labels`",
    );
  validateNotNegative(
    report,
    object,
    amounts.map((name) => `spec.${name}`),
  );
  validateJobTemplate(report, spec?.template, "spec.template");
  if (textAt(spec, "completionMode") === "Indexed" && numberAt(spec, "completions") === undefined)
    report.required("spec.completions", "when completion mode is Indexed");
}

/** Its Pods end, so they cannot be told to start again always. */
function validateJobTemplate(report: Report, template: unknown, field: string): void {
  validateLabels(report, valueAt(template, "metadata", "labels"), `${field}.labels`);
  validatePodSpec(report, objectAt(template, "spec"), { field: `${field}.spec` });
  const policy = textAt(template, "spec", "restartPolicy");
  if (policy === "" || policy === "Always")
    report.required(`${field}.spec.restartPolicy`, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never")
    report.unsupported(`${field}.spec.restartPolicy`, policy, ["OnFailure", "Never"]);
}

function validateJobUpdate(report: Report, object: KubeObject, previous: KubeObject): void {
  for (const name of [
    "completions",
    "selector",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
  ]) {
    const now = valueAt(object, "spec", name);
    if (!sameJson(now, valueAt(previous, "spec", name)))
      report.invalid(`spec.${name}`, now ?? null, "field is immutable");
  }
  const suspended = valueAt(previous, "spec", "suspend") === true;
  const started = textAt(previous, "status", "startTime") !== "";
  const template = objectAt(object, "spec", "template");
  if (!(suspended && !started) && !sameJson(template, objectAt(previous, "spec", "template")))
    report.invalid("spec.template", template ?? null, "field is immutable");
}

const longestCronJobName = 52;

export function validateCronJob(report: Report, object: KubeObject): void {
  validateSchedule(report, textAt(object, "spec", "schedule"));
  const zone = textAt(object, "spec", "timeZone");
  if (zone && !isTimeZone(zone)) report.invalid("spec.timeZone", zone, `unknown time zone ${zone}`);
  validateNotNegative(report, object, [
    "spec.startingDeadlineSeconds",
    "spec.successfulJobsHistoryLimit",
    "spec.failedJobsHistoryLimit",
  ]);
  validateJobTemplate(
    report,
    valueAt(object, "spec", "jobTemplate", "spec", "template"),
    "spec.jobTemplate.spec.template",
  );
  const name = object.metadata.name ?? "";
  if (name.length > longestCronJobName)
    report.invalid("metadata.name", name, `must be no more than ${longestCronJobName} characters`);
}

const shortSchedules = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/;

function validateSchedule(report: Report, schedule: string): void {
  const field = "spec.schedule";
  if (!schedule) report.required(field);
  else if (schedule.includes("TZ"))
    report.invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  else if (schedule.startsWith("@")) {
    if (!shortSchedules.test(schedule))
      report.invalid(field, schedule, `unrecognized descriptor: ${schedule}`);
  } else {
    const parts = schedule.trim().split(/\s+/);
    if (parts.length !== 5)
      report.invalid(
        field,
        schedule,
        `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`,
      );
    else {
      const wrong = parts.find((part) => !/^[\d*?/,\-A-Za-z]+$/.test(part));
      if (wrong) report.invalid(field, schedule, `failed to parse int from ${wrong}`);
    }
  }
}

function isTimeZone(zone: string): boolean {
  return (
    zone !== "Local" &&
    (zone === "UTC" || Intl.supportedValuesOf("timeZone").includes(zone) || canFormat(zone))
  );
}

/** Old names of zones are not listed, but known. */
function canFormat(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
