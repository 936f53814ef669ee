import { parseQuantity } from "@capstan/formats";
import { goDiff } from "../../schema/go-value.ts";
import { type JsonObject, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { validateClaimSpec } from "../../schema/validation/claim-spec.ts";
import { qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";

const resizing = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** pkg/apis/core/validation ValidatePersistentVolumeClaimStatusUpdate */
export function validateClaimStatus(report: Report, object: KubeObject): void {
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
export function validateClaim(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
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
