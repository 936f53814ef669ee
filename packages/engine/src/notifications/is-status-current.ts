import { isRecord, parseTime } from "@capstan/formats";

/**
 * Whether the application was compared again since its last operation ended: what it says of itself before that is of
 * the time before (notification_controller isAppSyncStatusRefreshed).
 */
export function isStatusCurrent(status: unknown): boolean {
  if (!isRecord(status) || !isRecord(status.operationState)) return true;
  const { phase, finishedAt } = status.operationState;
  if (phase !== "Failed" && phase !== "Error" && phase !== "Succeeded") return true;
  const finished = timeOf(finishedAt);
  if (finished === undefined) return false;
  const [reconciled, observed] = [timeOf(status.reconciledAt), timeOf(status.observedAt)];
  return finished <= Math.max(reconciled ?? Number.NEGATIVE_INFINITY, observed ?? Number.NEGATIVE_INFINITY);
}

const timeOf = (value: unknown): number | undefined =>
  typeof value === "string" ? parseTime(value) : undefined;
