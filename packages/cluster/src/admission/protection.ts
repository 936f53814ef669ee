import type { Clock } from "@capstan/flow";
import type { AdmissionHook } from "../objects/world.ts";
import { timestamp } from "../objects/world.ts";
import { isRecord, type KubeObject } from "../types.ts";

/** By type: the finalizer that keeps what is in use (plugin/pkg/admission/storage/storageobjectinuseprotection). */
export const protections: ReadonlyMap<string, string> = new Map([
  ["/persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["/persistentvolumes", "kubernetes.io/pv-protection"],
  ["storage.k8s.io/volumeattributesclasses", "kubernetes.io/vac-protection"],
]);

export function protectionHooks(clock: Clock): AdmissionHook[] {
  return [...protections].map(([type, finalizer]) => ({
    type,
    admit: (object, previous) =>
      dated(previous === undefined ? protect(object, finalizer) : object, { type, clock, previous }),
  }));
}

function protect(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

interface Dating {
  type: string;
  clock: Clock;
  previous: KubeObject | undefined;
}

/** pkg/registry/core/persistentvolume strategy: when the phase last changed. */
function dated(object: KubeObject, { type, clock, previous }: Dating): KubeObject {
  if (type !== "/persistentvolumes") return object;
  const status = isRecord(object.status) ? object.status : {};
  const before = isRecord(previous?.status) ? previous.status : {};
  if (previous !== undefined && status.phase === before.phase) {
    const { lastPhaseTransitionTime } = { ...before, ...status };
    return lastPhaseTransitionTime === undefined
      ? object
      : { ...object, status: { ...status, lastPhaseTransitionTime } };
  }
  return { ...object, status: { ...status, lastPhaseTransitionTime: timestamp(clock) } };
}
