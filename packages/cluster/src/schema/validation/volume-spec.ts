import { parseQuantity } from "@capstan/formats";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../json.ts";
import { validateAccessModes } from "./claim-spec.ts";
import { subdomainName } from "./names.ts";
import { validateNodeSelector } from "./node-selector.ts";
import type { Report } from "./report.ts";
import { persistentSources } from "./volume-sources.ts";

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
