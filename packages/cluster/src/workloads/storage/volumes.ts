import type { KubeObject } from "../../types.ts";
import { type Context, type Controller, lookUp, ownChanges } from "../controller.ts";
import type { PersistentVolumeClaim } from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";
import { writeStatus } from "../write-status.ts";
import type { PersistentVolume, StorageClass } from "./kinds.ts";

/** Keeps the phase of volumes, and removes those whose claim has gone where their policy says so. */
export function volumes({ objects }: Context): Controller {
  return {
    name: "volume-controller",
    watches: [
      ownChanges(resourceTypes.persistentVolumes),
      { type: resourceTypes.persistentVolumeClaims, keysOf: (claim) => volumeKeys(claim) },
    ],
    async reconcile(key) {
      const volume = lookUp<PersistentVolume>(objects, resourceTypes.persistentVolumes, key);
      if (!volume || isDeleting(volume)) return undefined;
      const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
      const phase = phaseOf(claimRef && findClaim(claimRef), claimRef);
      if (phase === "Released" && persistentVolumeReclaimPolicy === "Delete") {
        await objects.delete(resourceTypes.persistentVolumes, "", volume.metadata.name ?? "");
        return undefined;
      }
      const status = { ...volume.status, phase };
      await writeStatus<PersistentVolume>(objects, resourceTypes.persistentVolumes, {
        object: volume,
        status,
      });
      return undefined;
    },
  };

  function findClaim({ namespace = "", name = "", uid }: NonNullable<PersistentVolume["spec"]["claimRef"]>) {
    const claim = objects.get<PersistentVolumeClaim>(resourceTypes.persistentVolumeClaims, namespace, name);
    return uid === undefined || claim?.metadata.uid === uid ? claim : undefined;
  }
}

function phaseOf(
  claim: PersistentVolumeClaim | undefined,
  claimRef: PersistentVolume["spec"]["claimRef"],
): string {
  if (claimRef?.uid === undefined) return "Available";
  return claim ? "Bound" : "Released";
}

function volumeKeys(claim: KubeObject): string[] {
  return isClaim(claim) && claim.spec.volumeName ? [`/${claim.spec.volumeName}`] : [];
}

function isClaim(object: KubeObject): object is PersistentVolumeClaim {
  return object.kind === "PersistentVolumeClaim" && typeof object.spec === "object";
}

export const standardClassKey = "/standard";

/** A cluster begins with one StorageClass, the default. */
export function standardClass({ objects }: Context): Controller {
  return {
    name: "storage-class",
    watches: [],
    async reconcile() {
      if (objects.list(resourceTypes.storageClasses).length > 0) return undefined;
      await objects.create<StorageClass>(resourceTypes.storageClasses, {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: {
          name: "standard",
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        provisioner: "capstan.dev/simulated",
        reclaimPolicy: "Delete",
        volumeBindingMode: "Immediate",
      });
      return undefined;
    },
  };
}
