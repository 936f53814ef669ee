import { sameJson, textAt } from "../../schema/json.ts";
import { text } from "../../schema/tables/cells.ts";
import { labelName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const runtimeClass: Kind = {
  group: "node.k8s.io",
  resource: "runtimeclasses",
  isGenerallyValidated: true,
  createOnUpdate: true,
  versionedUpdates: true,
  validate: validateRuntimeClass,
  cells: { Handler: text("handler") },
};

function validateRuntimeClass(report: Report, object: KubeObject, previous?: KubeObject): void {
  const handler = textAt(object, "handler");
  report.named("handler", handler, labelName);
  unchanged(report, { object, previous, field: "handler" });
}

interface Fixed {
  object: KubeObject;
  previous: KubeObject | undefined;
  field: string;
}

function unchanged(report: Report, { object, previous, field }: Fixed): void {
  if (previous && !sameJson(previous[field], object[field]))
    report.invalid(field, object[field], "field is immutable");
}
