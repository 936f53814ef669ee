import type { KubeObject } from "../../types.ts";
import { goDiff, goValue } from "../go-value.ts";
import { isObject, type JsonObject, listAt, objectAt, sameJson, textAt } from "../json.ts";
import { parseQuantity } from "../quantity.ts";
import { subdomainName } from "./names.ts";
import { validateNodeSelector } from "./node-selector.ts";
import type { Report } from "./report.ts";
import { validateAccessModes } from "./storage.ts";
import { persistentSources } from "./volume-sources.ts";

/** pkg/apis/core/validation ValidatePersistentVolume and ValidatePersistentVolumeUpdate */
export function validateVolume(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  validateVolumeSpec(report, spec, { field: "spec", inline: false });
  // Both ValidatePersistentVolume and ValidatePersistentVolumeUpdate look at the whole specification.
  if (previous) validateVolumeSpec(report, spec, { field: "spec", inline: false });
  if (previous) validateVolumeUpdate(report, spec, objectAt(previous, "spec") ?? {});
}

interface Place {
  field: string;
  /** Within a VolumeAttachment, where only CSI's volumes may stand. */
  inline: boolean;
}

const ofInline = "in the context of inline volumes";

export function validateVolumeSpec(report: Report, spec: JsonObject, place: Place): void {
  const { field, inline } = place;
  report.settle(field);
  if (inline) {
    for (const name of ["claimRef", "capacity"])
      if (objectAt(spec, name)) report.forbidden(`${field}.${name}`, `may not be specified ${ofInline}`);
    if (!objectAt(spec, "csi")) report.required(`${field}.csi`, `has to be specified ${ofInline}`);
  }
  if (listAt(spec, "accessModes").length === 0) report.required(`${field}.accessModes`);
  validateAccessModes(report, spec, field);
  if (!inline) validateCapacity(report, objectAt(spec, "capacity"), `${field}.capacity`);
  validateReclaim(report, spec, place);
  const hasAffinity = validateAffinity(report, spec, place);
  validateSource(report, spec, { field, hasAffinity });
  validateClasses(report, spec, place);
}

function validateCapacity(report: Report, capacity: JsonObject | undefined, field: string): void {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) report.required(field);
  if (capacity?.storage === undefined || names.length > 1)
    report.unsupported(field, capacity ?? null, ["storage"]);
  for (const [name, amount] of Object.entries(capacity ?? {}))
    if ((parseQuantity(`${amount}`)?.nanos ?? 0n) <= 0n)
      report.invalid(`${field}[${name}]`, `${amount}`, "must be greater than zero");
}

const reclaims = ["Delete", "Recycle", "Retain"];

function validateReclaim(report: Report, spec: JsonObject, { field, inline }: Place): void {
  const policy = textAt(spec, "persistentVolumeReclaimPolicy");
  const at = `${field}.persistentVolumeReclaimPolicy`;
  if (!policy) return;
  if (inline) {
    if (policy !== "Retain") report.forbidden(at, `may only be Retain ${ofInline}`);
  } else if (!reclaims.includes(policy)) report.unsupported(at, policy, reclaims);
}

function validateAffinity(report: Report, spec: JsonObject, { field, inline }: Place): boolean {
  const affinity = objectAt(spec, "nodeAffinity");
  const at = `${field}.nodeAffinity`;
  if (!affinity) return false;
  if (inline) {
    report.forbidden(at, `may not be specified ${ofInline}`);
    return false;
  }
  const required = objectAt(affinity, "required");
  if (required) validateNodeSelector(report, required, `${at}.required`);
  else report.required(`${at}.required`, "must specify required node constraints");
  return true;
}

function validateSource(
  report: Report,
  spec: JsonObject,
  { field, hasAffinity }: { field: string; hasAffinity: boolean },
): void {
  let count = 0;
  for (const [name, rule] of persistentSources) {
    const source = spec[name];
    if (!isObject(source)) continue;
    count += 1;
    // The path of a refusal is written otherwise than the field: cephFS, and persistentDisk of what is within.
    if (count > 1 && name !== "flexVolume") {
      report.forbidden(
        `${field}.${name === "cephfs" ? "cephFS" : name}`,
        "may not specify more than 1 volume type",
      );
      continue;
    }
    rule?.(report, source, `${field}.${name === "gcePersistentDisk" ? "persistentDisk" : name}`);
    if (name === "local" && !hasAffinity)
      report.required(`${field}.nodeAffinity`, "Local volume requires node affinity");
  }
  if (count === 0) report.required(field, "must specify a volume type");
  const recycles = textAt(spec, "persistentVolumeReclaimPolicy") === "Recycle";
  if (recycles && /^\/+\.?$/.test(textAt(spec, "hostPath", "path")))
    report.forbidden(
      `${field}.persistentVolumeReclaimPolicy`,
      "may not be 'recycle' for a hostPath mount of '/'",
    );
}

function validateClasses(report: Report, spec: JsonObject, { field, inline }: Place): void {
  const name = textAt(spec, "storageClassName");
  if (name && inline) report.forbidden(`${field}.storageClassName`, `may not be specified ${ofInline}`);
  else if (name) report.syntax(`${field}.storageClassName`, name, subdomainName(name));
  const mode = spec.volumeMode;
  if (mode !== undefined && inline) {
    if (mode !== "Filesystem")
      report.forbidden(`${field}.volumeMode`, `may not specify volumeMode other than Filesystem ${ofInline}`);
  } else if (mode !== undefined && mode !== "Block" && mode !== "Filesystem")
    report.unsupported(`${field}.volumeMode`, mode, ["Block", "Filesystem"]);
  const attributes = spec.volumeAttributesClassName;
  if (typeof attributes !== "string") return;
  const at = `${field}.volumeAttributesClassName`;
  if (attributes) report.syntax(at, attributes, subdomainName(attributes));
  else report.required(at, "an empty string is disallowed");
  if (!objectAt(spec, "csi"))
    report.required(`${field}.csi`, "has to be specified when using volumeAttributesClassName");
}

const sourceNames = persistentSources.map(([name]) => name);

function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(
    sourceNames.filter((name) => isObject(spec[name])).map((name) => [name, spec[name]]),
  );
}

function validateVolumeUpdate(report: Report, now: JsonObject, before: JsonObject): void {
  const [source, old] = [sourceOf(now), sourceOf(before)];
  const diff = goDiff("core.PersistentVolumeSource", old, expandable(source, old));
  if (diff !== "") {
    const rule = "spec.persistentvolumesource is immutable after creation";
    report.forbidden("spec.persistentvolumesource", `${rule}\n${diff}`);
  }
  if (!sameJson(now.volumeMode, before.volumeMode))
    report.invalid("volumeMode", now.volumeMode ?? null, "field is immutable");
  if (before.nodeAffinity !== undefined && !sameJson(now.nodeAffinity, before.nodeAffinity))
    report.invalid(
      "nodeAffinity",
      goValue("*core.VolumeNodeAffinity", now.nodeAffinity),
      "field is immutable, except for updating from beta label to GA",
    );
  if (before.volumeAttributesClassName !== undefined && now.volumeAttributesClassName === undefined)
    report.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
}

/** The Secret for growing a volume may be named later. */
function expandable(source: JsonObject, old: JsonObject): JsonObject {
  const [csi, before] = [objectAt(source, "csi"), objectAt(old, "csi")];
  if (!csi || !before || before.controllerExpandSecretRef !== undefined) return source;
  const { controllerExpandSecretRef: _secret, ...rest } = csi;
  return { ...source, csi: rest };
}
