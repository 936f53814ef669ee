import { messageOf } from "@capstan/model";
import type { SyncPlanPreview, SyncRequest } from "@capstan/wire";
import type { Api } from "../../api.ts";
import type { Io } from "../../io.ts";
import { type AppRef, onApp } from "./app-name.ts";

/** What a sync would do, in order. */
export function readPlan(api: Api, request: AppRef & SyncRequest): Promise<SyncPlanPreview> {
  return onApp(api, request, () => api.call("previewSyncRequest", request));
}

/** The same beside what was asked for, which counts without it too: Argo CD's server has no plans. */
export async function showPlan(io: Io, read: () => Promise<SyncPlanPreview>): Promise<void> {
  try {
    io.err(`${(await read()).text}\n`);
  } catch (error) {
    io.signal.throwIfAborted();
    io.err(`warning: what a sync would do is not known: ${messageOf(error)}\n`);
  }
}
