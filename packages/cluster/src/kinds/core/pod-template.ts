import { specOf } from "../../registry/kind-rules.ts";
import { objectAt } from "../../schema/json.ts";
import { containerCells, printLabels } from "../../schema/tables/cells.ts";
import { validatePodSpec } from "../../schema/validation/pod-spec.ts";
import { validateTemplateMetadata } from "../../schema/validation/pod-template.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const podTemplate: Kind = {
  group: "",
  resource: "podtemplates",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  validate: validatePodTemplate,
  podTemplate: ["template"],
  cells: {
    ...containerCells("template"),
    "Pod Labels": (object) => printLabels(objectAt(object, "template", "metadata", "labels")),
  },
  deletion: {
    answersObject: true,
  },
};

function validatePodTemplate(report: Report, object: KubeObject): void {
  validateTemplateMetadata(report, object.template, "template");
  validatePodSpec(report, objectAt(object, "template", "spec"), { field: "template.spec", template: true });
}
