import { fieldsAt } from "../../registry/selectable-fields.ts";
import { eventCells } from "../../schema/tables/cluster.ts";
import { validateNewEvent } from "../../schema/validation/events.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

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
