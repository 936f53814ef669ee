import { type JsonObject, objectAt } from "../json.ts";

const shrinkAll = { type: "Percent", value: 100, periodSeconds: 15 };
const growByFour = { type: "Pods", value: 4, periodSeconds: 15 };

/** pkg/apis/autoscaling/v2/defaults.go: both directions get rules as soon as one is written. */
export function defaultBehavior(fields: JsonObject): void {
  fields.scaleUp = {
    stabilizationWindowSeconds: 0,
    policies: [growByFour, shrinkAll],
    ...objectAt(fields, "scaleUp"),
  };
  fields.scaleDown = { policies: [shrinkAll], ...objectAt(fields, "scaleDown") };
}
