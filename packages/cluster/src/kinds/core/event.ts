import { fieldAt, fieldsAt } from "../../registry/selectable-fields.ts";
import { objectAt, textAt } from "../../schema/json.ts";
import { pathSegmentName, qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { eventCells } from "./event-cells.ts";

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
