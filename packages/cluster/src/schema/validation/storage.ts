import type { KubeObject } from "../../types.ts";
import { goDiff } from "../go-value.ts";
import { type JsonObject, listAt, objectAt, sameJson, sortedKeys, textAt, valueAt } from "../json.ts";
import { parseQuantity } from "../quantity.ts";
import { labelName, qualifiedName, subdomainName } from "./names.ts";
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

/** pkg/apis/core/validation ValidatePersistentVolumeClaim */
export function validateClaim(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(previous, "spec");
  validateClaimSpec(report, spec, { field: "spec", before });
  if (previous) validateClaimUpdate(report, spec, { before: before ?? {}, previous });
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

/** pkg/apis/core/validation ValidatePersistentVolumeClaimUpdate: a bound claim may grow, an unset class be set. */
function validateClaimUpdate(
  report: Report,
  spec: JsonObject,
  { before, previous }: { before: JsonObject; previous: KubeObject },
): void {
  const bound = textAt(previous, "status", "phase") === "Bound";
  const now: JsonObject = { ...spec };
  const old: JsonObject = { ...before };
  if (!textAt(before, "volumeName")) old.volumeName = spec.volumeName;
  if (before.storageClassName === undefined) now.storageClassName = before.storageClassName;
  if (bound) {
    now.volumeAttributesClassName = before.volumeAttributesClassName;
    const resources = objectAt(spec, "resources");
    const requests = objectAt(resources, "requests");
    const size = valueAt(before, "resources", "requests", "storage");
    if (requests) now.resources = { ...resources, requests: { ...requests, storage: size } };
  }
  const diff = goDiff("core.PersistentVolumeClaimSpec", old, now);
  const rule =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  if (diff !== "") report.forbidden("spec", `${rule}\n${diff}`);
  validateSize(report, spec, { before, previous });
  if (!sameJson(spec.volumeMode, before.volumeMode))
    report.invalid("volumeMode", spec.volumeMode ?? null, "field is immutable");
  validateAttributesChange(report, spec, previous);
}

function validateSize(
  report: Report,
  spec: JsonObject,
  { before, previous }: { before: JsonObject; previous: KubeObject },
): void {
  const sizeOf = (of: unknown, ...path: readonly string[]): bigint =>
    parseQuantity(`${valueAt(of, ...path, "storage") ?? 0}`)?.nanos ?? 0n;
  const size = sizeOf(spec, "resources", "requests");
  if (size < sizeOf(before, "resources", "requests") && size <= sizeOf(previous, "status", "capacity"))
    report.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
}

function validateAttributesChange(report: Report, spec: JsonObject, previous: KubeObject): void {
  const field = "spec.volumeAttributesClassName";
  if (valueAt(previous, "status", "currentVolumeAttributesClassName") === undefined) return;
  const why = "is forbidden when status.currentVolumeAttributesClassName is not nil";
  if (sameJson(spec.volumeAttributesClassName, valueAt(previous, "spec", "volumeAttributesClassName")))
    return;
  if (spec.volumeAttributesClassName === undefined) report.forbidden(field, `update to nil ${why}`);
  else if (spec.volumeAttributesClassName === "") report.forbidden(field, `update to empty string ${why}`);
}

/** pkg/apis/storage/validation ValidateStorageClass and ValidateStorageClassUpdate */
export function validateStorageClass(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
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

const reclaims = ["Delete", "Retain"];
const bindings = ["Immediate", "WaitForFirstConsumer"];

export function validateProvisioner(report: Report, name: string, field: string): void {
  if (!name) report.required(field);
  else report.syntax(field, name.toLowerCase(), qualifiedName(name.toLowerCase()));
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
