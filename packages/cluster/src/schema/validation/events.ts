import type { KubeObject } from "../../types.ts";
import { objectAt, sameJson, textAt } from "../json.ts";
import { qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";

export function validateEvent(report: Report, object: KubeObject): void {
  const about = objectAt(object, "involvedObject") ?? objectAt(object, "regarding");
  const namespace = textAt(about, "namespace");
  const expected = object.metadata.namespace;
  const isFitting = namespace === expected || (namespace === "" && expected === "default");
  if (!isFitting) report.invalid("involvedObject.namespace", namespace, "does not match event.namespace");
}

/** Of events.k8s.io, said in the names of the older kind (pkg/apis/core/validation ValidateEventCreate). */
export function validateNewEvent(report: Report, object: KubeObject, previous?: KubeObject): void {
  validateEvent(report, object);
  if (previous) {
    validateEventUpdate(report, object, previous);
    return;
  }
  const { eventTime, type } = object;
  if (!eventTime) report.required("eventTime");
  else {
    const reporter = textAt(object, "reportingController");
    if (!reporter) report.required("reportingController");
    report.syntax("reportingController", reporter, qualifiedName(reporter));
    for (const name of ["reportingInstance", "action", "reason"]) if (!object[name]) report.required(name);
  }
  if (type !== "Normal" && type !== "Warning") report.invalid("type", "", `has invalid value: ${type ?? ""}`);
}

const fixed: readonly (readonly [string, string])[] = [
  ["regarding", "involvedObject"],
  ["reason", "reason"],
  ["note", "message"],
  ["deprecatedCount", "count"],
  ["type", "type"],
  ["action", "action"],
  ["related", "related"],
  ["reportingController", "reportingController"],
  ["reportingInstance", "reportingInstance"],
];

/** Only the series of what is still going on may change. */
function validateEventUpdate(report: Report, object: KubeObject, previous: KubeObject): void {
  for (const [name, field] of fixed)
    if (!sameJson(object[name], previous[name]))
      report.invalid(field, object[name] ?? "", "field is immutable");
}
