import { parseQuantity } from "@capstan/formats";
import { type JsonObject, listAt, objectAt, textAt, valueAt } from "../json.ts";
import { labelName, subdomainName } from "./names.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";
import { requireTexts } from "./source-rule.ts";

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

export function validateAccessModes(report: Report, spec: unknown, field: string): void {
  const asked = listAt(spec, "accessModes");
  for (const mode of asked)
    if (!modes.includes(`${mode}`)) report.unsupported(`${field}.accessModes`, mode, modes);
  const others = asked.filter((mode) => mode !== "ReadWriteOncePod" && modes.includes(`${mode}`));
  if (asked.includes("ReadWriteOncePod") && others.length > 0)
    report.forbidden(`${field}.accessModes`, "may not use ReadWriteOncePod with other access modes");
}

export function validateClaimSpec(
  report: Report,
  spec: JsonObject,
  { field, before }: { field: string; before?: JsonObject | undefined },
): void {
  report.settle(field);
  if (listAt(spec, "accessModes").length === 0)
    report.required(`${field}.accessModes`, "at least 1 access mode is required");
  validateSelector(report, objectAt(spec, "selector"), `${field}.selector`);
  validateAccessModes(report, spec, field);
  const amount = valueAt(spec, "resources", "requests", "storage");
  const quantity = amount === undefined ? undefined : parseQuantity(`${amount}`);
  if (!quantity) report.required(`${field}.resources[storage]`);
  else if (quantity.nanos <= 0n)
    report.invalid(`${field}.resources[storage]`, `${amount}`, "must be greater than zero");
  const name = textAt(spec, "storageClassName");
  if (name) report.syntax(`${field}.storageClassName`, name, subdomainName(name));
  const mode = spec.volumeMode;
  if (mode !== undefined && mode !== "Block" && mode !== "Filesystem")
    report.unsupported(`${field}.volumeMode`, mode, ["Block", "Filesystem"]);
  for (const source of ["dataSource", "dataSourceRef"]) {
    const hadGroup = ["dataSource", "dataSourceRef"].some(
      (one) => objectAt(before, one)?.apiGroup !== undefined,
    );
    const reference = objectAt(spec, source);
    if (reference) validateReference(report, reference, { field: `${field}.${source}`, hadGroup });
  }
  validateSources(report, spec, field);
  const attributes = textAt(spec, "volumeAttributesClassName");
  if (attributes) report.syntax(`${field}.volumeAttributesClassName`, attributes, subdomainName(attributes));
}

function validateReference(
  report: Report,
  reference: JsonObject,
  { field, hadGroup }: { field: string; hadGroup: boolean },
): void {
  requireTexts(report, reference, { field, names: ["name", "kind"] });
  const [group, kind] = [textAt(reference, "apiGroup"), textAt(reference, "kind")];
  if (!group && kind !== "PersistentVolumeClaim")
    report.invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (group && !hadGroup) report.syntax(`${field}.apiGroup`, group, subdomainName(group));
  const namespace = textAt(reference, "namespace");
  if (namespace) report.syntax(`${field}.namespace`, namespace, labelName(namespace));
}

/** What the API server prints here is the path itself, as the Go struct that it is. */
function validateSources(report: Report, spec: JsonObject, field: string): void {
  const [source, reference] = [objectAt(spec, "dataSource"), objectAt(spec, "dataSourceRef")];
  if (!source || !reference) return;
  if (textAt(reference, "namespace"))
    report.invalid(field, {}, "may not be specified when dataSourceRef.namespace is specified");
  else if (!["apiGroup", "kind", "name"].every((name) => source[name] === reference[name]))
    report.invalid(field, {}, "must match dataSourceRef");
}
