import type { HealthStatusCode } from "@capstan/model";
import { fieldsAt, type HealthRule, health, textOf } from "./health-rule.ts";

const byPhase: ReadonlyMap<string, HealthStatusCode> = new Map([
  ["", "Progressing"],
  ["Pending", "Progressing"],
  ["Running", "Progressing"],
  ["Succeeded", "Healthy"],
  ["Failed", "Degraded"],
  ["Error", "Degraded"],
]);

export const workflow: HealthRule = {
  group: "argoproj.io",
  kind: "Workflow",
  versions: [],
  assess(live) {
    const status = fieldsAt(live, "status");
    return health(byPhase.get(textOf(status.phase)) ?? "Unknown", textOf(status.message));
  },
};
