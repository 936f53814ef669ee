import { numberAt, objectAt } from "../../schema/json.ts";
import { text } from "../../schema/tables/cells.ts";
import { validateNotNegative } from "../../schema/validation/pod-template.ts";
import type { Report } from "../../schema/validation/report.ts";
import { without } from "../../schema/without-fields.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const lease: Kind = {
  group: "coordination.k8s.io",
  resource: "leases",
  metadataPasses: { update: 2, whole: 3 },
  isGenerallyValidated: true,
  createOnUpdate: true,
  versionedUpdates: true,
  prepare: (object: KubeObject): KubeObject => without(object, ["strategy", "preferredHolder"]),
  validate: validateLease,
  cells: { Holder: text("spec", "holderIdentity") },
};

function validateLease(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const seconds = numberAt(spec, "leaseDurationSeconds");
  if (seconds !== undefined && seconds <= 0)
    report.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
  validateNotNegative(report, object, ["spec.leaseTransitions"]);
}
