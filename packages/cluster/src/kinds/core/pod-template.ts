import { specOf } from "../../registry/kind-rules.ts";
import { podTemplateCells } from "../../schema/tables/workload.ts";
import { validatePodTemplate } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const podTemplate: Kind = {
  group: "",
  resource: "podtemplates",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  validate: validatePodTemplate,
  podTemplate: ["template"],
  cells: podTemplateCells,
  deletion: {
    answersObject: true,
  },
};
