import type { HealthStatusCode } from "@capstan/model";
import { fieldsAt, type HealthRule, health, textOf } from "./health-rule.ts";

const byPhase: ReadonlyMap<string, HealthStatusCode> = new Map([
  ["Lost", "Degraded"],
  ["Pending", "Progressing"],
  ["Bound", "Healthy"],
]);

export const persistentVolumeClaim: HealthRule = {
  group: "",
  kind: "PersistentVolumeClaim",
  versions: ["v1"],
  assess: (live) => health(byPhase.get(textOf(fieldsAt(live, "status").phase)) ?? "Unknown"),
};
