import { fieldAt, fieldsAt } from "../../registry/selectable-fields.ts";
import { eventCells } from "../../schema/tables/cluster.ts";
import { validateEvent } from "../../schema/validation/events.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";

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
