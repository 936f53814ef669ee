import { keyText, type ResourceKey, type ResourceResult, type SyncPhase } from "@capstan/model";

export function taskId(phase: SyncPhase, key: ResourceKey): string {
  return `${phase}/${keyText(key)}`;
}

/** The id of the task that a result belongs to. */
export function resultId(result: ResourceResult): string {
  return taskId(result.syncPhase ?? "Sync", result);
}
