import type { Application } from "./application.ts";

/** How an application's operation stands, as people ask for it; a retry that waits is no sync that goes on. */
export type OperationStanding =
  | { readonly kind: "none" }
  /** Asked for, not yet begun. */
  | { readonly kind: "asked" }
  | { readonly kind: "running"; readonly message: string; readonly attempt: Attempt | undefined }
  | {
      readonly kind: "retrying";
      /** What the last attempt failed with. */
      readonly message: string;
      readonly attempt: Attempt;
      /** RFC 3339; when it begins. */
      readonly at: string;
    }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "succeeded" };

/** The one that goes on or comes next; without a limit there is no last one. */
export interface Attempt {
  readonly number: number;
  readonly limit: number | undefined;
}

/** As controllers write it (Argo CD: controller/appcontroller.go processRequestedAppOperation). */
const retryNote = /^([\s\S]*?)\.? ?Retrying attempt #(\d+) at (\S+?)\.?$/;

export function operationStanding({ operation, status }: Application): OperationStanding {
  const state = status?.operationState;
  if (!state) return operation ? { kind: "asked" } : { kind: "none" };
  const message = state.message ?? "";
  if (state.phase === "Failed" || state.phase === "Error")
    return operation ? { kind: "asked" } : { kind: "failed", message };
  if (state.phase === "Succeeded") return operation ? { kind: "asked" } : { kind: "succeeded" };
  const limit = state.operation?.retry?.limit;
  const known = limit === undefined || limit < 0 ? undefined : limit;
  const [, before, number, at] = (state.finishedAt && retryNote.exec(message)) || [];
  if (before !== undefined && at !== undefined)
    return { kind: "retrying", message: before, attempt: { number: Number(number), limit: known }, at };
  const count = state.retryCount ?? 0;
  return {
    kind: "running",
    message,
    attempt: count > 0 ? { number: count, limit: known } : undefined,
  };
}

/** Whether the last attempt of a sync has failed, also where another one waits or goes on. */
export function isSyncFailing(app: Application): boolean {
  const standing = operationStanding(app);
  if (standing.kind === "running") return standing.attempt !== undefined;
  return standing.kind === "failed" || standing.kind === "retrying";
}
