import { formatKey } from "@capstan/model";
import type { SyncAction, SyncState, SyncStep, SyncTask } from "./sync-plan.ts";

/** Completed hooks are let go before anything is waited for. */
export function waitOrRelease(state: SyncState, message: string, release: readonly SyncAction[]): SyncStep {
  if (release.length === 0) return { kind: "wait", state, message };
  return { kind: "act", groups: [[...release]], state, message, delayMs: 0 };
}

export function describeWait(what: string, [first, ...more]: readonly SyncTask[]): string {
  const name = first === undefined ? "" : formatKey(first.key);
  return `waiting for ${what} ${name}${more.length > 0 ? ` and ${more.length} more` : ""}`;
}
