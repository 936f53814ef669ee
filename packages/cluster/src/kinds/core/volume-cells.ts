import { canonicalQuantity } from "@capstan/formats";
import { textAt, valueAt } from "../../schema/json.ts";
import type { KubeObject } from "../../types.ts";

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

export function accessModes(modes: readonly unknown[]): string {
  const given = new Set(modes.map(String));
  return Object.entries(shortModes)
    .filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(",");
}

export function storageOf(object: KubeObject, part: string): string {
  const amount = valueAt(object, part, "capacity", "storage");
  return canonicalQuantity(`${amount ?? "0"}`) ?? "0";
}

export function phase(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? "Terminating" : textAt(object, "status", "phase");
}

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

export function storageClass(object: KubeObject): string {
  return object.metadata.annotations?.[classAnnotation] ?? textAt(object, "spec", "storageClassName");
}
