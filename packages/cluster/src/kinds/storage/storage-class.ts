import { type JsonObject, listAt, sameJson, sortedKeys, textAt } from "../../schema/json.ts";
import { flag, nameWithDefault, text, textOr } from "../../schema/tables/cells.ts";
import { qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { standardClass, standardClassKey } from "../../workloads/storage/volumes.ts";
import type { Kind } from "../kind.ts";
import { validateProvisioner } from "./provisioner.ts";

const reclaims = ["Delete", "Retain"];

const bindings = ["Immediate", "WaitForFirstConsumer"];

export const storageClass: Kind = {
  group: "storage.k8s.io",
  resource: "storageclasses",
  enums: { "StorageClass.reclaimPolicy": ["Delete", "Retain"] },
  validate: validateStorageClass,
  cells: {
    Name: (object) => nameWithDefault(object, "storageclass.kubernetes.io/is-default-class"),
    Provisioner: text("provisioner"),
    ReclaimPolicy: textOr("Delete", "reclaimPolicy"),
    VolumeBindingMode: textOr("Immediate", "volumeBindingMode"),
    AllowVolumeExpansion: flag("allowVolumeExpansion"),
  },
  deletion: {
    answersObject: true,
  },
  simulation: { make: standardClass, firstKeys: [standardClassKey] },
};

/** pkg/apis/storage/validation ValidateStorageClass and ValidateStorageClassUpdate */
function validateStorageClass(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateProvisioner(report, textAt(object, "provisioner"), "provisioner");
  const { reclaimPolicy: reclaim, volumeBindingMode: mode } = object;
  if (typeof reclaim === "string" && reclaim !== "" && !reclaims.includes(reclaim))
    report.unsupported("reclaimPolicy", reclaim, reclaims);
  if (mode === undefined) report.required("volumeBindingMode");
  else if (!bindings.includes(`${mode}`)) report.unsupported("volumeBindingMode", mode, bindings);
  validateTopologies(report, listAt(object, "allowedTopologies"));
  report.settle("reclaimPolicy");
  if (!previous) return;
  for (const name of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"])
    if (!sameJson(object[name], previous[name]))
      report.invalid(name, sortedKeys(object[name] ?? null), "field is immutable");
}

function validateTopologies(report: Report, terms: readonly unknown[]): void {
  report.settle("allowedTopologies");
  const seen: JsonObject[] = terms.map(() => ({}));
  for (const [index, term] of terms.entries()) {
    const field = `allowedTopologies[${index}].matchLabelExpressions`;
    const wanted: JsonObject = {};
    for (const [at, item] of listAt(term, "matchLabelExpressions").entries())
      validateTopology(report, item, { field: `${field}[${at}]`, wanted });
    for (const other of seen) if (sameJson(other, wanted)) report.duplicate(field, "");
    seen.push(wanted);
  }
}

function validateTopology(
  report: Report,
  item: unknown,
  { field, wanted }: { field: string; wanted: JsonObject },
): void {
  const [key, values] = [textAt(item, "key"), listAt(item, "values")];
  if (values.length === 0) report.required(`${field}.values`);
  for (const [index, value] of values.entries())
    if (values.indexOf(value) < index) report.duplicate(`${field}.values[${index}]`, value);
  report.syntax(`${field}.key`, key, qualifiedName(key));
  if (Object.hasOwn(wanted, key)) report.duplicate(`${field}.key`, key);
  wanted[key] = [...new Set(values)].sort();
}
