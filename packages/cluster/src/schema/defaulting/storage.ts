import { type JsonObject, objectAt } from "../json.ts";

export function defaultPersistentVolume(fields: JsonObject): void {
  fields.spec = {
    persistentVolumeReclaimPolicy: "Retain",
    volumeMode: "Filesystem",
    ...objectAt(fields, "spec"),
  };
}

/** stringData is write-only: pkg/apis/core/v1/conversion.go Convert_v1_Secret_To_core_Secret. */
export function defaultSecret(fields: JsonObject): void {
  const texts = objectAt(fields, "stringData");
  delete fields.stringData;
  if (!texts) return;
  const data: JsonObject = { ...objectAt(fields, "data") };
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text)).toString("base64");
  fields.data = data;
}

export function defaultLimitRangeItem(fields: JsonObject): void {
  if (fields.type !== "Container") return;
  const limits = { ...objectAt(fields, "max"), ...objectAt(fields, "default") };
  const requests = { ...objectAt(fields, "min"), ...limits, ...objectAt(fields, "defaultRequest") };
  if (Object.keys(limits).length) fields.default = limits;
  if (Object.keys(requests).length) fields.defaultRequest = requests;
}
