import type { KubeObject } from "../../types.ts";
import { isObject, type JsonObject, listAt, objectAt, sameJson, textAt, valueAt } from "../json.ts";
import { parseQuantity } from "../quantity.ts";
import { subdomainName } from "./names.ts";
import type { Report } from "./report.ts";

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

function validateModes(report: Report, spec: unknown): void {
  for (const mode of listAt(spec, "accessModes"))
    if (!modes.includes(`${mode}`)) report.unsupported("spec.accessModes", mode, modes);
}

export function validateClaim(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  if (listAt(spec, "accessModes").length === 0)
    report.required("spec.accessModes", "at least 1 access mode is required");
  validateModes(report, spec);
  const amount = valueAt(spec, "resources", "requests", "storage");
  const quantity = amount === undefined ? undefined : parseQuantity(`${amount}`);
  if (!quantity) report.required("spec.resources[storage]");
  else if (quantity.nanos <= 0n)
    report.invalid("spec.resources[storage]", `${amount}`, "must be greater than zero");
  const name = textAt(spec, "storageClassName");
  if (name) report.syntax("spec.storageClassName", name, subdomainName(name));
  if (previous && spec)
    validateClaimUpdate(report, spec, { before: objectAt(previous, "spec") ?? {}, previous });
}

/** pkg/apis/core/validation ValidatePersistentVolumeClaimUpdate: a bound claim may grow, an unset class be set. */
function validateClaimUpdate(
  report: Report,
  spec: JsonObject,
  { before, previous }: { before: JsonObject; previous: KubeObject },
): void {
  const bound = textAt(previous, "status", "phase") === "Bound";
  const fixed = (of: JsonObject): JsonObject => {
    const {
      resources,
      volumeName,
      storageClassName,
      volumeAttributesClassName: _v,
      dataSourceRef: _d,
      ...rest
    } = of;
    return {
      ...rest,
      ...(bound ? {} : { resources }),
      ...(before.volumeName === undefined ? {} : { volumeName }),
      ...(before.storageClassName === undefined ? {} : { storageClassName }),
    };
  };
  if (!sameJson(fixed(spec), fixed(before))) {
    const detail =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    report.forbidden("spec", detail);
    return;
  }
  const now = parseQuantity(`${valueAt(spec, "resources", "requests", "storage") ?? 0}`);
  const known = parseQuantity(`${valueAt(before, "resources", "requests", "storage") ?? 0}`);
  if (now && known && now.nanos < known.nanos)
    report.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
}

/** Fields of a PersistentVolume's spec that are not where it lies. */
const volumeOwn = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
]);

export function validateVolume(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  if (listAt(spec, "accessModes").length === 0) report.required("spec.accessModes");
  validateModes(report, spec);
  const capacity = objectAt(spec, "capacity");
  if (!capacity || Object.keys(capacity).length === 0) report.required("spec.capacity");
  if (!capacity || capacity.storage === undefined || Object.keys(capacity).length > 1)
    report.unsupported("spec.capacity", capacity ?? null, ["storage"]);
  const sources = Object.keys(spec).filter((name) => !volumeOwn.has(name) && isObject(spec[name]));
  if (sources.length === 0) report.required("spec", "must specify a volume type");
  for (const name of sources.sort().slice(1))
    report.forbidden(`spec.${name}`, "may not specify more than 1 volume type");
  const path = textAt(spec, "hostPath", "path");
  if (path.split("/").includes("..")) report.invalid("spec.hostPath.path", path, "must not contain '..'");
  const share = textAt(spec, "nfs", "path");
  if (share && !share.startsWith("/")) report.invalid("spec.nfs.path", share, "must be an absolute path");
  if (previous && !sameJson(sourceOf(spec), sourceOf(objectAt(previous, "spec") ?? {})))
    report.forbidden(
      "spec.persistentvolumesource",
      "spec.persistentvolumesource is immutable after creation",
    );
}

function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !volumeOwn.has(name)));
}

export function validateStorageClass(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  if (!textAt(object, "provisioner")) report.required("provisioner");
  if (!previous) return;
  for (const name of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]) {
    if (sameJson(object[name], previous[name])) continue;
    if (name === "reclaimPolicy") report.forbidden(name, `updates to ${name} are forbidden.`);
    else report.invalid(name, object[name] ?? null, "field is immutable");
  }
}
