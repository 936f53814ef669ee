import { type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { text, textOr } from "../../schema/tables/cells.ts";
import { without } from "../../schema/without-fields.ts";
import type { KubeObject } from "../../types.ts";
import { volumeClaims } from "../../workloads/storage/volume-claims.ts";
import type { Kind } from "../kind.ts";
import { validateClaim, validateClaimStatus } from "./persistent-volume-claim-validation.ts";
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
