import type { KubeObject } from "../../types.ts";
import { goValue } from "../go-value.ts";
import { numberAt, objectAt, sameJson, textAt } from "../json.ts";
import { qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";

/** What Events of both groups are held to, in the names of the older one (legacyValidateEvent). */
function validateAny(report: Report, object: KubeObject, reporter: string): void {
  const namespace = textAt(objectAt(object, "involvedObject") ?? objectAt(object, "regarding"), "namespace");
  const own = object.metadata.namespace;
  const disagrees = (): void =>
    report.invalid("involvedObject.namespace", namespace, "does not match event.namespace");
  if (!object.eventTime) {
    if (namespace === "" ? own !== "default" : own !== namespace) disagrees();
    return;
  }
  if (namespace === "" && own !== "default" && own !== "kube-system") disagrees();
  const name = textAt(object, reporter);
  if (!name) report.required(reporter);
  report.syntax(reporter, name, qualifiedName(name));
  for (const field of ["reportingInstance", "action", "reason"]) if (!object[field]) report.required(field);
}

export function validateEvent(report: Report, object: KubeObject): void {
  validateAny(report, object, "reportingComponent");
}

/** Of events.k8s.io (pkg/apis/core/validation ValidateEventCreate and ValidateEventUpdate). */
export function validateNewEvent(report: Report, object: KubeObject, previous?: KubeObject): void {
  for (const name of ["regarding", "related", "series", "deprecatedSource"]) report.settle(name);
  validateAny(report, object, "reportingController");
  if (previous) {
    validateEventUpdate(report, object, previous);
    return;
  }
  validateSeries(report, object);
  if (!object.eventTime) report.required("eventTime");
  const { type } = object;
  if (type !== "Normal" && type !== "Warning") report.invalid("type", "", `has invalid value: ${type ?? ""}`);
  const unset = "needs to be unset";
  if (object.deprecatedFirstTimestamp) report.invalid("firstTimestamp", "", unset);
  if (object.deprecatedLastTimestamp) report.invalid("lastTimestamp", "", unset);
  if (object.deprecatedCount) report.invalid("count", "", unset);
  const source = objectAt(object, "deprecatedSource");
  if (textAt(source, "component") || textAt(source, "host")) report.invalid("source", "", unset);
}

function validateSeries(report: Report, object: KubeObject): void {
  const series = objectAt(object, "series");
  if (!series) return;
  if ((numberAt(series, "count") ?? 0) < 2) report.invalid("series.count", "", "should be at least 2");
  if (!textAt(series, "lastObservedTime")) report.required("series.lastObservedTime");
}

/** Field, its older name, and its type in Go. */
const fixed: readonly (readonly [string, string, string])[] = [
  ["regarding", "involvedObject", "core.ObjectReference"],
  ["reason", "reason", "string"],
  ["note", "message", "string"],
  ["deprecatedSource", "source", "core.EventSource"],
  ["deprecatedFirstTimestamp", "firstTimestamp", "time"],
  ["deprecatedLastTimestamp", "lastTimestamp", "time"],
  ["deprecatedCount", "count", "int"],
  ["reason", "reason", "string"],
  ["type", "type", "string"],
  ["eventTime", "eventTime", "time"],
  ["action", "action", "string"],
  ["related", "related", "*core.ObjectReference"],
  ["reportingController", "reportingController", "string"],
  ["reportingInstance", "reportingInstance", "string"],
];

/** Only the series of what is still going on may change. */
function validateEventUpdate(report: Report, object: KubeObject, previous: KubeObject): void {
  if (!sameJson(object.series, previous.series)) validateSeries(report, object);
  for (const [name, field, type] of fixed) {
    const [now, before] = [object[name], previous[name]].map((value) => goValue(type, value));
    if (!sameJson(now, before)) report.invalid(field, now, "field is immutable");
  }
}
