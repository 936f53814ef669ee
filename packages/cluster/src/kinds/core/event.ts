import { fieldAt, fieldsAt } from "../../registry/selectable-fields.ts";
import { numberAt, objectAt, textAt } from "../../schema/json.ts";
import { printAge } from "../../schema/tables/age.ts";
import { type Cells, text } from "../../schema/tables/cells.ts";
import { pathSegmentName, qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

/** Both event kinds are one inside the API server; events.k8s.io spells the older fields "deprecated…". */
function eventField(event: KubeObject, name: string, newer: string): unknown {
  return event[name] ?? event[newer];
}

function firstSeen(event: KubeObject, now: number): string {
  const first = eventField(event, "firstTimestamp", "deprecatedFirstTimestamp");
  return printAge(first ?? event.eventTime, now);
}

function lastSeen(event: KubeObject, now: number): string {
  const series = objectAt(event, "series");
  if (series) return printAge(series.lastObservedTime, now);
  const last = eventField(event, "lastTimestamp", "deprecatedLastTimestamp");
  return last ? printAge(last, now) : firstSeen(event, now);
}

function involved(event: KubeObject): unknown {
  return eventField(event, "involvedObject", "regarding");
}

export const eventCells: Cells = {
  "Last Seen": lastSeen,
  Type: text("type"),
  Reason: text("reason"),
  Object(event) {
    const kind = textAt(involved(event), "kind").toLowerCase();
    const name = textAt(involved(event), "name");
    return name ? `${kind}/${name}` : kind;
  },
  Subobject: (event) => textAt(involved(event), "fieldPath"),
  Source(event) {
    const source = eventField(event, "source", "deprecatedSource");
    const controller = textAt(event, "reportingComponent") || textAt(event, "reportingController");
    const host = textAt(source, "host") || textAt(event, "reportingInstance");
    return [textAt(source, "component") || controller, host].filter(Boolean).join(", ");
  },
  Message: (event) => `${eventField(event, "message", "note") ?? ""}`.trim(),
  "First Seen": firstSeen,
  Count: (event) =>
    numberAt(event, "series", "count") || numberAt(event, "count") || numberAt(event, "deprecatedCount") || 1,
};

export const event: Kind = {
  group: "",
  resource: "events",
  nameSyntax: pathSegmentName,
  metadataPasses: { update: 1, whole: 2 },
  isGenerallyValidated: true,
  createOnUpdate: true,
  validate: validateEvent,
  cells: eventCells,
  selectors: {
    ...fieldsAt(
      "involvedObject.kind",
      "involvedObject.namespace",
      "involvedObject.name",
      "involvedObject.uid",
      "involvedObject.apiVersion",
      "involvedObject.resourceVersion",
      "involvedObject.fieldPath",
      "reason",
      "reportingComponent",
      "type",
    ),
    source: (object) => fieldAt("source.component")(object) || fieldAt("reportingComponent")(object),
  },
  deletion: {
    // strategy.DefaultGarbageCollectionPolicy
    dependents: "none",
  },
};

function validateEvent(report: Report, object: KubeObject): void {
  validateAny(report, object, "reportingComponent");
}

/** What Events of both groups are held to, in the names of the older one (legacyValidateEvent). */
export function validateAny(report: Report, object: KubeObject, reporter: string): void {
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
