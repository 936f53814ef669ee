import { parseQuantity } from "@capstan/formats";
import { goSelector } from "../../schema/go-value.ts";
import { sameJson, textAt } from "../../schema/json.ts";
import { notNegative, subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const csiStorageCapacity: Kind = {
  group: "storage.k8s.io",
  resource: "csistoragecapacities",
  versionedUpdates: true,
  validate: validateCapacity,
};

/** ValidateCSIStorageCapacity */
function validateCapacity(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const name = textAt(object, "storageClassName");
  report.syntax("storageClassName", name, subdomainName(name));
  for (const field of ["capacity", "maximumVolumeSize"]) {
    const amount = object[field];
    if (typeof amount === "string" && (parseQuantity(amount)?.nanos ?? 0n) < 0n)
      report.invalid(field, amount, notNegative);
  }
  for (const field of ["nodeTopology", "storageClassName"])
    if (previous && !sameJson(object[field], previous[field]))
      report.invalid(field, goSelector(object[field] ?? null), "field is immutable");
}
