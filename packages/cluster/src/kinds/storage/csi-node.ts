import { goValue } from "../../schema/go-value.ts";
import { isObject, listAt, numberAt, sameJson, textAt } from "../../schema/json.ts";
import { length } from "../../schema/tables/cells.ts";
import { validateDriverName } from "../../schema/validation/csi-sources.ts";
import { notNegative, qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

const longestId = 192;

export const csiNode: Kind = {
  group: "storage.k8s.io",
  resource: "csinodes",
  notRequired: ["CSINodeSpec.drivers"],
  metadataPasses: { update: 1, whole: 3 },
  versionedUpdates: true,
  validate: validateCsiNode,
  cells: { Drivers: length("spec", "drivers") },
  deletion: {
    answersObject: true,
  },
};

/** pkg/apis/storage/validation ValidateCSINode and ValidateCSINodeUpdate */
function validateCsiNode(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  report.settle("spec");
  const names = new Set<string>();
  const drivers = listAt(object, "spec", "drivers");
  for (const [index, driver] of drivers.entries())
    validateNodeDriver(report, driver, { field: `spec.drivers[${index}]`, names });
  for (const old of listAt(previous, "spec", "drivers"))
    for (const driver of drivers) {
      if (textAt(old, "name") !== textAt(driver, "name")) continue;
      const [now, before] = [driver, old].map(printed);
      if (!sameJson(now, before)) report.invalid("spec.drivers", now, "field is immutable");
    }
}

/** How many volumes a driver can hold may change. */
function printed(driver: unknown): unknown {
  const value = goValue("storage.CSINodeDriver", driver);
  return isObject(value) ? { ...value, Allocatable: null } : value;
}

function validateNodeDriver(
  report: Report,
  driver: unknown,
  { field, names }: { field: string; names: Set<string> },
): void {
  const [name, id] = [textAt(driver, "name"), textAt(driver, "nodeID")];
  validateDriverName(report, name, `${field}.name`);
  if (!id) report.required(`${field}.nodeID`);
  if (id.length > longestId) report.invalid(`${field}.nodeID`, id, `must be ${longestId} characters or less`);
  const count = numberAt(driver, "allocatable", "count");
  if (count !== undefined && count < 0) report.invalid(`${field}.allocatable.count`, count, notNegative);
  report.unique(`${field}.name`, name, names);
  const keys = listAt(driver, "topologyKeys");
  for (const [index, key] of keys.entries()) {
    if (key === "") report.required(field);
    if (keys.indexOf(key) < index) report.duplicate(field, key);
    report.syntax(field, `${key}`, qualifiedName(`${key}`));
  }
}
