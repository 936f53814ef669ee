import { isObject, sameJson, sortedKeys } from "../../schema/json.ts";
import { count } from "../../schema/tables/cells.ts";
import { validateNotNegative } from "../../schema/validation/pod-template.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const controllerRevision: Kind = {
  group: "apps",
  resource: "controllerrevisions",
  validate: validateRevision,
  cells: {
    Controller(object) {
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (!owner) return "<none>";
      const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    },
    Revision: count("revision"),
  },
};

function validateRevision(report: Report, object: KubeObject, previous?: KubeObject): void {
  const isMissing = object.data === undefined || object.data === null;
  report.settle("data");
  if (isMissing && !previous) report.required("data", "data is mandatory");
  else if (!previous && !isObject(object.data)) report.required("data", "data must be a valid JSON object");
  validateNotNegative(report, object, ["revision"]);
  if (previous && !sameJson(previous.data, object.data))
    report.invalid("data", sortedKeys(object.data ?? null), "field is immutable");
}
