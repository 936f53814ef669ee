import { objectAt, sameJson, textAt } from "../../schema/json.ts";
import { text } from "../../schema/tables/cells.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { validateProvisioner } from "./provisioner.ts";

export const volumeAttributesClass: Kind = {
  group: "storage.k8s.io",
  resource: "volumeattributesclasses",
  validate: validateAttributesClass,
  cells: { DriverName: text("driverName") },
  deletion: {
    answersObject: true,
  },
  protection: "kubernetes.io/vac-protection",
};

/** ValidateVolumeAttributesClass */
function validateAttributesClass(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  for (const field of ["driverName", "parameters"])
    if (previous && !sameJson(object[field], previous[field]))
      report.forbidden(field, `updates to ${field} are forbidden.`);
  validateProvisioner(report, textAt(object, "driverName"), "driverName");
  if (Object.keys(objectAt(object, "parameters") ?? {}).length === 0)
    report.required("parameters", "must contain at least one key/value pair");
}
