import { type JsonObject, objectAt } from "../json.ts";
import type { ConditionalDefault } from "./rules.ts";

function persistentVolume(fields: JsonObject): void {
  fields.spec = {
    persistentVolumeReclaimPolicy: "Retain",
    volumeMode: "Filesystem",
    ...objectAt(fields, "spec"),
  };
}

/** Only references that both fields can express are copied: snapshots and other claims. */
function claimSpec(fields: JsonObject): void {
  if (fields.dataSource !== undefined) fields.dataSourceRef ??= fields.dataSource;
  else if (fields.dataSourceRef !== undefined && isLocalReference(objectAt(fields, "dataSourceRef")))
    fields.dataSource = fields.dataSourceRef;
}

function isLocalReference(reference: JsonObject | undefined): boolean {
  if (!reference || reference.namespace !== undefined) return false;
  const kind = `${reference.apiGroup ?? ""}/${reference.kind}`;
  return kind === "/PersistentVolumeClaim" || kind === "snapshot.storage.k8s.io/VolumeSnapshot";
}

/** stringData is write-only: pkg/apis/core/v1/conversion.go Convert_v1_Secret_To_core_Secret. */
function secret(fields: JsonObject): void {
  const texts = objectAt(fields, "stringData");
  delete fields.stringData;
  if (!texts) return;
  const data: JsonObject = { ...objectAt(fields, "data") };
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text)).toString("base64");
  fields.data = data;
}

function limitRangeItem(fields: JsonObject): void {
  if (fields.type !== "Container") return;
  const limits = { ...objectAt(fields, "max"), ...objectAt(fields, "default") };
  const requests = { ...objectAt(fields, "min"), ...limits, ...objectAt(fields, "defaultRequest") };
  if (Object.keys(limits).length) fields.default = limits;
  if (Object.keys(requests).length) fields.defaultRequest = requests;
}

export const storageDefaults: Record<string, ConditionalDefault> = {
  "io.k8s.api.core.v1.PersistentVolume": persistentVolume,
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec": claimSpec,
  "io.k8s.api.core.v1.Secret": secret,
  "io.k8s.api.core.v1.LimitRangeItem": limitRangeItem,
};
