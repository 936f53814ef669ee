import { numberAt, objectAt, textAt } from "../../schema/json.ts";
import { printAge } from "../../schema/tables/age.ts";
import { type Cells, text } from "../../schema/tables/cells.ts";
import type { KubeObject } from "../../types.ts";

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
