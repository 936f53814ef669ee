import { parseTime } from "@capstan/formats";
import { fieldsAt, type HealthRule, health, listAt, textOf } from "./health-rule.ts";

export const cronJob: HealthRule = {
  group: "batch",
  kind: "CronJob",
  versions: [],
  assess(live) {
    if (fieldsAt(live, "spec").suspend === true) return health("Healthy", "CronJob is Suspended");
    const status = fieldsAt(live, "status");
    const scheduled = parseTime(textOf(status.lastScheduleTime));
    const succeeded = parseTime(textOf(status.lastSuccessfulTime));
    if (scheduled === undefined) return health("Healthy", "CronJob has not been scheduled yet");
    if (listAt(live, "status", "active").length > 0) {
      return health("Healthy", "The job is running. Its last execution may not have been successful");
    }
    if (succeeded === undefined) {
      return health("Healthy", "The CronJob never completed successfully. It may not be healthy");
    }
    return succeeded < scheduled
      ? health("Degraded", "CronJob has not completed its last execution successfully")
      : health("Healthy", "CronJob has completed its last execution successfully");
  },
};
