import { parseQuantity } from "@capstan/formats";
import { goDiff } from "../../schema/go-value.ts";
import { type JsonObject, listAt, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { text, textOr } from "../../schema/tables/cells.ts";
import { validateClaimSpec } from "../../schema/validation/claim-spec.ts";
import { qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { without } from "../../schema/without-fields.ts";
import type { KubeObject } from "../../types.ts";
import { volumeClaims } from "../../workloads/storage/volume-claims.ts";
import type { Kind } from "../kind.ts";
import { accessModes, phase, storageClass, storageOf } from "./volume-cells.ts";

export const persistentVolumeClaim: Kind = {
  group: "",
  resource: "persistentvolumeclaims",
  newStatus: { phase: "Pending" },
  prepare: prepareClaim,
  validate: validateClaim,
  validateStatus: validateClaimStatus,
  cells: {
    Status: phase,
    Volume: text("spec", "volumeName"),
    Capacity: (object) => (textAt(object, "spec", "volumeName") ? storageOf(object, "status") : ""),
    "Access Modes": (object) =>
      textAt(object, "spec", "volumeName") ? accessModes(listAt(object, "status", "accessModes")) : "",
    StorageClass: storageClass,
    VolumeAttributesClass: textOr("<unset>", "spec", "volumeAttributesClassName"),
    VolumeMode: textOr("<unset>", "spec", "volumeMode"),
  },
  deletion: {
    answersObject: true,
  },
  protection: "kubernetes.io/pvc-protection",
  simulation: { make: volumeClaims },
};

/**
 * pkg/api/persistentvolumeclaim: of dataSource only claims and snapshots are kept, the two fields are made alike, and
 * what lies in another namespace is behind a gate that is off.
 */
function prepareClaim(whole: KubeObject, previous: KubeObject | undefined): KubeObject {
  const crosses = Boolean(objectAt(whole, "spec", "dataSourceRef")?.namespace);
  const before = objectAt(previous, "spec");
  const object = crosses && before?.dataSourceRef === undefined ? without(whole, ["dataSourceRef"]) : whole;
  const spec = objectAt(object, "spec");
  if (!spec) return object;
  const { dataSource, dataSourceRef } = spec;
  const had = before?.dataSource !== undefined || before?.dataSourceRef !== undefined;
  if (dataSource !== undefined && dataSourceRef === undefined)
    return had || isKnownSource(objectAt(spec, "dataSource"))
      ? { ...object, spec: { ...spec, dataSourceRef: dataSource } }
      : without(object, ["dataSource"]);
  const reference = objectAt(spec, "dataSourceRef");
  if (dataSource === undefined && reference && !reference.namespace)
    return { ...object, spec: { ...spec, dataSource: reference } };
  return object;
}

function isKnownSource(source: JsonObject | undefined): boolean {
  const kind = `${source?.apiGroup ?? ""}/${source?.kind}`;
  return kind === "/PersistentVolumeClaim" || kind === "snapshot.storage.k8s.io/VolumeSnapshot";
}

const resizing = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** pkg/apis/core/validation ValidatePersistentVolumeClaimStatusUpdate */
function validateClaimStatus(report: Report, object: KubeObject): void {
  const statuses = Object.entries(objectAt(object, "status", "allocatedResourceStatuses") ?? {});
  const field = "status.allocatedResourceStatuses";
  for (const [name, status] of statuses) {
    validateName(report, name, field);
    if (!resizing.includes(`${status}`)) report.unsupported(field, name, resizing);
  }
  for (const name of Object.keys(objectAt(object, "status", "allocatedResources") ?? {}))
    validateName(report, name, "status.allocatedResources");
}

function validateName(report: Report, name: string, field: string): void {
  const problems = qualifiedName(name);
  report.syntax(field, name, problems);
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  if (problems.length === 0 && isNative && name !== "storage") report.unsupported(field, name, ["storage"]);
}

/** pkg/apis/core/validation ValidatePersistentVolumeClaim */
function validateClaim(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(previous, "spec");
  validateClaimSpec(report, spec, { field: "spec", before });
  if (previous) validateClaimUpdate(report, spec, { before: before ?? {}, previous });
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
