import { parseQuantity, selectsLabels } from "@capstan/formats";
import type { KubeObject } from "../../types.ts";
import { type Context, type Controller, keyOf, lookUp, ownChanges } from "../controller.ts";
import type { PersistentVolumeClaim } from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";
import { nothingRuns } from "../simulation.ts";
import { writeStatus } from "../write-status.ts";
import type { PersistentVolume, StorageClass } from "./kinds.ts";

const component = "persistentvolume-controller";
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** Binds claims: to a volume made for them where their class can make one, else to one that is there and fits. */
export function volumeClaims(context: Context): Controller {
  const { objects } = context;
  /** Claims that wait for a class or a volume. */
  const unbound = new Set<string>();
  return {
    name: component,
    watches: [
      ownChanges(resourceTypes.persistentVolumeClaims),
      { type: resourceTypes.storageClasses, keysOf: () => unbound },
      {
        type: resourceTypes.persistentVolumes,
        keysOf: (volume, change) => (change === "DELETED" ? claimKeys(volume) : unbound),
      },
    ],
    async reconcile(key) {
      const claim = lookUp<PersistentVolumeClaim>(objects, resourceTypes.persistentVolumeClaims, key);
      if (!claim || isDeleting(claim)) {
        unbound.delete(key);
        return undefined;
      }
      const isBound = await bind(context, claim);
      if (isBound) unbound.delete(key);
      else unbound.add(key);
      return undefined;
    },
  };
}

function claimKeys(volume: KubeObject): string[] {
  const { claimRef } = isVolume(volume) ? volume.spec : {};
  return claimRef ? [`${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`] : [];
}

function isVolume(object: KubeObject): object is PersistentVolume {
  return object.kind === "PersistentVolume" && typeof object.spec === "object";
}

async function bind(context: Context, claim: PersistentVolumeClaim): Promise<boolean> {
  const { objects } = context;
  if (claim.spec.volumeName) {
    const volume = objects.get<PersistentVolume>(resourceTypes.persistentVolumes, "", claim.spec.volumeName);
    if (volume) return bindTo(context, claim, volume);
    await tell(context, claim, { phase: claim.status?.phase === "Bound" ? "Lost" : "Pending" });
    return false;
  }
  const className = claim.spec.storageClassName ?? defaultClass(objects.list(resourceTypes.storageClasses));
  const volume = findVolume(context, claim, className) ?? (await provision(context, claim, className));
  if (volume) return bindTo(context, withClass(claim, className), volume);
  await tell(context, claim, { phase: "Pending" });
  return false;
}

function defaultClass(classes: readonly KubeObject[]): string | undefined {
  return classes.find(({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === "true")?.metadata
    .name;
}

function findVolume(
  { objects }: Context,
  claim: PersistentVolumeClaim,
  className = "",
): PersistentVolume | undefined {
  const { accessModes = [], resources, selector } = claim.spec;
  const size = sizeOf(resources?.requests?.storage);
  const fits = ({ metadata, spec }: PersistentVolume) =>
    (spec.storageClassName ?? "") === className &&
    isFreeFor(spec.claimRef, claim) &&
    accessModes.every((mode) => spec.accessModes?.includes(mode)) &&
    sizeOf(spec.capacity?.storage) >= size &&
    (selector === undefined || selectsLabels(selector, metadata.labels));
  const volumes = objects.list<PersistentVolume>(resourceTypes.persistentVolumes).filter(fits);
  volumes.sort((a, b) => Number(sizeOf(a.spec.capacity?.storage) - sizeOf(b.spec.capacity?.storage)));
  return volumes.find(({ spec }) => spec.claimRef) ?? volumes[0];
}

/** In billionths of a byte. */
function sizeOf(storage = "0"): bigint {
  return parseQuantity(storage)?.nanos ?? 0n;
}

function isFreeFor(
  claimRef: PersistentVolume["spec"]["claimRef"],
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (!claimRef) return true;
  if (claimRef.namespace !== metadata.namespace || claimRef.name !== metadata.name) return false;
  return claimRef.uid === undefined || claimRef.uid === metadata.uid;
}

/** A new volume of the class, or an event that says why there is none. */
async function provision(
  context: Context,
  claim: PersistentVolumeClaim,
  className = "",
): Promise<PersistentVolume | undefined> {
  const { objects, events } = context;
  const complain = (reason: string, message: string) =>
    events.record(claim, {
      type: reason === "ProvisioningFailed" ? "Warning" : "Normal",
      reason,
      message,
      component,
    });
  if (className === "") {
    complain("FailedBinding", "no persistent volumes available for this claim and no storage class is set");
    return undefined;
  }
  const storageClass = objects.get<StorageClass>(resourceTypes.storageClasses, "", className);
  if (!storageClass) {
    complain("ProvisioningFailed", `storageclass.storage.k8s.io "${className}" not found`);
    return undefined;
  }
  if (storageClass.provisioner === "kubernetes.io/no-provisioner") {
    complain("WaitForFirstConsumer", "waiting for first consumer to be created before binding");
    return undefined;
  }
  const volume = newVolume(claim, storageClass);
  const known = objects.get<PersistentVolume>(
    resourceTypes.persistentVolumes,
    "",
    volume.metadata.name ?? "",
  );
  if (known) return known;
  const created = await objects.create<PersistentVolume>(resourceTypes.persistentVolumes, volume);
  const message = `Successfully provisioned volume ${created.metadata.name} (${nothingRuns})`;
  events.record(claim, { type: "Normal", reason: "ProvisioningSucceeded", message, component });
  return created;
}

function newVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { name = "", namespace = "", uid = "" } = claim.metadata;
  const { accessModes = ["ReadWriteOnce"], resources, volumeMode } = claim.spec;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: `pvc-${uid}`,
      annotations: { "pv.kubernetes.io/provisioned-by": storageClass.provisioner },
    },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.storage ?? "1Gi" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name ?? "",
      ...(volumeMode !== undefined && { volumeMode }),
      hostPath: { path: `/capstan-simulated/${keyOf(claim)}`, type: "" },
    },
  };
}

/** Always true: what it leaves to do, the changes that it makes bring back. */
async function bindTo(
  context: Context,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<true> {
  const { objects } = context;
  const { name = "", namespace = "", uid = "" } = claim.metadata;
  if (volume.spec.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
    await objects.update<PersistentVolume>(resourceTypes.persistentVolumes, {
      ...volume,
      spec: { ...volume.spec, claimRef },
    });
  }
  const bound = claim.spec.volumeName
    ? claim
    : await objects.update(resourceTypes.persistentVolumeClaims, withVolume(claim, volume));
  await tell(context, bound, { phase: "Bound", volume });
  return true;
}

/** A claim without a class gets the default one when it is bound. */
function withClass(
  claim: PersistentVolumeClaim,
  storageClassName: string | undefined,
): PersistentVolumeClaim {
  if (claim.spec.storageClassName !== undefined || storageClassName === undefined) return claim;
  return { ...claim, spec: { ...claim.spec, storageClassName } };
}

function withVolume(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      annotations: {
        ...claim.metadata.annotations,
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
      },
    },
    spec: {
      ...claim.spec,
      volumeName: volume.metadata.name ?? "",
    },
  };
}

async function tell(
  { objects }: Context,
  claim: PersistentVolumeClaim,
  { phase, volume }: { phase: string; volume?: PersistentVolume },
): Promise<void> {
  const { accessModes, capacity } = volume?.spec ?? {};
  const status = {
    ...claim.status,
    phase,
    ...(accessModes && { accessModes }),
    ...(capacity && { capacity }),
  };
  await writeStatus(objects, resourceTypes.persistentVolumeClaims, { object: claim, status });
}
