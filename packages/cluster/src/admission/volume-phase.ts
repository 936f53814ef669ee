import type { Clock } from "@capstan/flow";
import { timestamp } from "../objects/world.ts";
import { isRecord, type KubeObject } from "../types.ts";

/** pkg/registry/core/persistentvolume strategy: when the phase last changed. */
export function datedPhase(object: KubeObject, previous: KubeObject | undefined, clock: Clock): KubeObject {
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
