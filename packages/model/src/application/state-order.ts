import type { Application } from "./application.ts";
import { healthCause, isStuck } from "./health-cause.ts";
import { isSyncFailing, operationStanding } from "./operation-standing.ts";

/** Worst first, as people look for trouble; Argo CD's own order rates Unknown worst. */
export const healthOrder = ["Degraded", "Missing", "Unknown", "Progressing", "Suspended", "Healthy"] as const;
export const syncOrder = ["OutOfSync", "Unknown", "Synced"] as const;

/** The place of a health status, the worst's is 0; what is no status counts as Unknown. */
export function healthRank(status: string | undefined): number {
  return rank(healthOrder, status);
}

/** The place of a sync status, OutOfSync's is 0. */
export function syncRank(status: string | undefined): number {
  return rank(syncOrder, status);
}

function rank(order: readonly string[], status: string | undefined): number {
  const place = order.indexOf(status ?? "Unknown");
  return place < 0 ? order.indexOf("Unknown") : place;
}

/**
 * What keeps an application from its state, in a sentence: an error's condition, else what a sync fails with, also one
 * that is tried again, else what its worst object suffers from.
 */
export function problemOf(app: Application): string {
  const { status } = app;
  const condition = status?.conditions?.find(({ type }) => type.endsWith("Error"));
  if (condition) return condition.message;
  const standing = operationStanding(app);
  if (standing.kind === "failed" || standing.kind === "retrying") return standing.message;
  const { status: health, message = "" } = status?.health ?? {};
  const cause = healthCause(message);
  if (isStuck(cause) || (health === "Degraded" && cause !== "")) return cause;
  return isSyncFailing(app) ? "The sync has failed and is tried again" : "";
}

/** By health, then by sync. What failed stands below what is broken and above what is only on its way. */
export function stateRank({ health, sync, problem }: ApplicationState): number {
  const byHealth = healthRank(health) * 100;
  const worst = problem === "" ? byHealth : Math.min(byHealth, healthRank("Missing") * 100 + 50);
  return worst + syncRank(sync);
}

export interface ApplicationState {
  readonly health: string | undefined;
  readonly sync: string | undefined;
  /** As `problemOf` says. */
  readonly problem: string;
}
