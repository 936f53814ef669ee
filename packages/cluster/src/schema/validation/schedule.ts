import type { Report } from "./report.ts";

const shortSchedules = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/;

export function validateSchedule(report: Report, schedule: string): void {
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

export function isTimeZone(zone: string): boolean {
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
