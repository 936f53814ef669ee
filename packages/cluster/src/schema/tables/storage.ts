import type { KubeObject } from "../../types.ts";
import { listAt, textAt, valueAt } from "../json.ts";
import { canonicalQuantity } from "../quantity.ts";
import { type Cells, flag, length, text, textOr } from "./cells.ts";
import { nameWithDefault } from "./network.ts";

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: readonly unknown[]): string {
  const given = new Set(modes.map(String));
  return Object.entries(shortModes)
    .filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(",");
}

function storageOf(object: KubeObject, part: string): string {
  const amount = valueAt(object, part, "capacity", "storage");
  return canonicalQuantity(`${amount ?? "0"}`) ?? "0";
}

function phase(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? "Terminating" : textAt(object, "status", "phase");
}

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

function storageClass(object: KubeObject): string {
  return object.metadata.annotations?.[classAnnotation] ?? textAt(object, "spec", "storageClassName");
}

export const claimCells: Cells = {
  Status: phase,
  Volume: text("spec", "volumeName"),
  Capacity: (object) => (textAt(object, "spec", "volumeName") ? storageOf(object, "status") : ""),
  "Access Modes": (object) =>
    textAt(object, "spec", "volumeName") ? accessModes(listAt(object, "status", "accessModes")) : "",
  StorageClass: storageClass,
  VolumeAttributesClass: textOr("<unset>", "spec", "volumeAttributesClassName"),
  VolumeMode: textOr("<unset>", "spec", "volumeMode"),
};

export const volumeCells: Cells = {
  Capacity: (object) => storageOf(object, "spec"),
  "Access Modes": (object) => accessModes(listAt(object, "spec", "accessModes")),
  "Reclaim Policy": text("spec", "persistentVolumeReclaimPolicy"),
  Status: phase,
  Claim(object) {
    const name = textAt(object, "spec", "claimRef", "name");
    return name ? `${textAt(object, "spec", "claimRef", "namespace")}/${name}` : "";
  },
  StorageClass: storageClass,
  VolumeAttributesClass: textOr("<unset>", "spec", "volumeAttributesClassName"),
  Reason: text("status", "reason"),
  VolumeMode: textOr("<unset>", "spec", "volumeMode"),
};

export const storageClassCells: Cells = {
  Name: (object) => nameWithDefault(object, "storageclass.kubernetes.io/is-default-class"),
  Provisioner: text("provisioner"),
  ReclaimPolicy: textOr("Delete", "reclaimPolicy"),
  VolumeBindingMode: textOr("Immediate", "volumeBindingMode"),
  AllowVolumeExpansion: flag("allowVolumeExpansion"),
};

export const volumeAttributesClassCells: Cells = { DriverName: text("driverName") };

export const csiDriverCells: Cells = {
  AttachRequired: (object) => valueAt(object, "spec", "attachRequired") !== false,
  PodInfoOnMount: flag("spec", "podInfoOnMount"),
  StorageCapacity: flag("spec", "storageCapacity"),
  TokenRequests: (object) =>
    valueAt(object, "spec", "tokenRequests") === undefined
      ? "<unset>"
      : listAt(object, "spec", "tokenRequests")
          .map((request) => textAt(request, "audience"))
          .join(","),
  RequiresRepublish: flag("spec", "requiresRepublish"),
  Modes: (object) => listAt(object, "spec", "volumeLifecycleModes").join(",") || "<none>",
};

export const csiNodeCells: Cells = { Drivers: length("spec", "drivers") };

export const volumeAttachmentCells: Cells = {
  Attacher: text("spec", "attacher"),
  PV: text("spec", "source", "persistentVolumeName"),
  Node: text("spec", "nodeName"),
  Attached: flag("status", "attached"),
};
