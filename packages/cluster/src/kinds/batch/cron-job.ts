import { specOf } from "../../registry/kind-rules.ts";
import { goSelector } from "../../schema/go-value.ts";
import { objectAt, textAt, valueAt } from "../../schema/json.ts";
import { printAge } from "../../schema/tables/age.ts";
import { containerCells, length, selector, text, textOr } from "../../schema/tables/cells.ts";
import { validateNotNegative } from "../../schema/validation/pod-template.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { cronJobs } from "../../workloads/batch/cron-job.ts";
import type { Kind } from "../kind.ts";
import { validateRun } from "./job.ts";

const shortSchedules = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/;

const longestCronJobName = 52;

const concurrencies = ["Allow", "Forbid", "Replace"];

export const cronJob: Kind = {
  group: "batch",
  resource: "cronjobs",
  enums: { "JobSpec.completionMode": ["NonIndexed", "Indexed"] },
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  validate: validateCronJob,
  podTemplate: ["spec", "jobTemplate", "spec", "template"],
  cells: {
    Schedule: text("spec", "schedule"),
    Timezone: textOr("<none>", "spec", "timeZone"),
    Suspend: (object) => (valueAt(object, "spec", "suspend") === true ? "True" : "False"),
    Active: length("status", "active"),
    "Last Schedule": (object, now) => {
      const last = textAt(object, "status", "lastScheduleTime");
      return last ? printAge(last, now) : "<none>";
    },
    ...containerCells("spec", "jobTemplate", "spec", "template"),
    Selector: selector("spec", "jobTemplate", "spec", "selector"),
  },
  simulation: { make: cronJobs },
};

function validateCronJob(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  validateSchedule(report, textAt(spec, "schedule"));
  validateNotNegative(report, object, ["spec.startingDeadlineSeconds"]);
  const zone = textAt(spec, "timeZone");
  if (spec?.timeZone === "") report.invalid("spec.timeZone", "", "timeZone must be nil or non-empty string");
  else if (zone && !isTimeZone(zone)) report.invalid("spec.timeZone", zone, `unknown time zone ${zone}`);
  const concurrency = textAt(spec, "concurrencyPolicy");
  if (!concurrency) report.required("spec.concurrencyPolicy");
  else if (!concurrencies.includes(concurrency))
    report.unsupported("spec.concurrencyPolicy", concurrency, concurrencies);
  const job = objectAt(spec, "jobTemplate", "spec") ?? {};
  const at = "spec.jobTemplate.spec";
  validateRun(report, job, at);
  if (job.manualSelector === true) report.unsupported(`${at}.manualSelector`, true, ["nil", "false"]);
  if (objectAt(job, "selector"))
    report.invalid(`${at}.selector`, goSelector(job.selector), "`selector` will be auto-generated");
  validateNotNegative(report, object, ["spec.successfulJobsHistoryLimit", "spec.failedJobsHistoryLimit"]);
  const name = object.metadata.name ?? "";
  if (!previous && name.length > longestCronJobName)
    report.invalid("metadata.name", name, `must be no more than ${longestCronJobName} characters`);
}

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
