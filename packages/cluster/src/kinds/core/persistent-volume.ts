import { datedPhase } from "../../admission/volume-phase.ts";
import { goDiff, goValue } from "../../schema/go-value.ts";
import { isObject, type JsonObject, listAt, objectAt, sameJson, textAt } from "../../schema/json.ts";
import { text, textOr } from "../../schema/tables/cells.ts";
import { counts } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import { persistentSources } from "../../schema/validation/volume-sources.ts";
import { validateVolumeSpec } from "../../schema/validation/volume-spec.ts";
import type { KubeObject } from "../../types.ts";
import { volumes } from "../../workloads/storage/volumes.ts";
import type { Kind } from "../kind.ts";
import { accessModes, phase, storageClass, storageOf } from "./volume-cells.ts";

const sourceNames = persistentSources.map(([name]) => name);

export const persistentVolume: Kind = {
  group: "",
  resource: "persistentvolumes",
  metadataPasses: { update: 1, whole: 4 },
  newStatus: { phase: "Pending" },
  defaults: {
    "io.k8s.api.core.v1.PersistentVolume": defaultPersistentVolume,
  },
  validate: validateVolume,
  validateStatus: counts({ notNegative: [] }),
  warnings: volumeWarnings,
  cells: {
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
  },
  deletion: {
    answersObject: true,
  },
  protection: "kubernetes.io/pv-protection",
  hook: ({ clock }) => ({ admit: (volume, previous) => datedPhase(volume, previous, clock) }),
  simulation: { make: volumes },
};

function defaultPersistentVolume(fields: JsonObject): void {
  fields.spec = {
    persistentVolumeReclaimPolicy: "Retain",
    volumeMode: "Filesystem",
    ...objectAt(fields, "spec"),
  };
}

/** pkg/apis/core/validation ValidatePersistentVolume and ValidatePersistentVolumeUpdate */
function validateVolume(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  validateVolumeSpec(report, spec, { field: "spec", inline: false });
  // Both ValidatePersistentVolume and ValidatePersistentVolumeUpdate look at the whole specification.
  if (previous) validateVolumeSpec(report, spec, { field: "spec", inline: false });
  if (previous) validateVolumeUpdate(report, spec, objectAt(previous, "spec") ?? {});
}

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

function volumeWarnings({ spec }: KubeObject): string[] {
  if (textAt(spec, "persistentVolumeReclaimPolicy") !== "Recycle") return [];
  return [
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
  ];
}
