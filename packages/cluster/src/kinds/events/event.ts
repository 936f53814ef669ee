import { fieldsAt } from "../../registry/selectable-fields.ts";
import { goValue } from "../../schema/go-value.ts";
import { numberAt, objectAt, sameJson, textAt } from "../../schema/json.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { eventCells, validateAny } from "../core/event.ts";
import type { Kind } from "../kind.ts";

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

export const event: Kind = {
  group: "events.k8s.io",
  resource: "events",
  storage: { type: "/events", version: "v1" },
  metadataPasses: { update: 2, whole: 3 },
  createOnUpdate: true,
  validate: validateNewEvent,
  cells: eventCells,
  selectors: fieldsAt(
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
  ),
  deletion: {
    // strategy.DefaultGarbageCollectionPolicy
    dependents: "none",
  },
  conversions: { v1: { fromStored: eventToNew, toStored: eventToCore } },
};

const eventFields: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

/** pkg/apis/events/v1/conversion.go */
function eventToNew(stored: KubeObject): KubeObject {
  return { ...rename(stored, new Map(eventFields)), apiVersion: "events.k8s.io/v1" };
}

function eventToCore(object: KubeObject): KubeObject {
  return {
    ...rename(object, new Map(eventFields.map(([core, events]) => [events, core]))),
    apiVersion: "v1",
  };
}

function rename(object: KubeObject, names: ReadonlyMap<string, string>): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const renamed = Object.entries(rest).map(([field, value]) => [names.get(field) ?? field, value]);
  return { apiVersion, kind, metadata, ...Object.fromEntries(renamed) };
}

/** Of events.k8s.io (pkg/apis/core/validation ValidateEventCreate and ValidateEventUpdate). */
function validateNewEvent(report: Report, object: KubeObject, previous?: KubeObject): void {
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

/** Only the series of what is still going on may change. */
function validateEventUpdate(report: Report, object: KubeObject, previous: KubeObject): void {
  if (!sameJson(object.series, previous.series)) validateSeries(report, object);
  for (const [name, field, type] of fixed) {
    const [now, before] = [object[name], previous[name]].map((value) => goValue(type, value));
    if (!sameJson(now, before)) report.invalid(field, now, "field is immutable");
  }
}
