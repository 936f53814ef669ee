import { parseTime } from "@capstan/formats";
import { type Application, type AppProject, type HealthStatus, isAutomated, isSkipped } from "@capstan/model";
import { canSync, windowSubject } from "../access/sync-windows.ts";
import { health } from "../health/health-rule.ts";
import { decideAutoSync } from "./decide-auto-sync.ts";
import { isCompared } from "./dependencies.ts";

export interface ChildInput {
  /** As it lives. */
  child: Application;
  /** Of the child; undefined where there is none. */
  project: AppProject | undefined;
  nowMs: number;
}

/** So long a child may not be comparable, as while its repository is away, before that counts as its end. */
const comparisonGraceMs = 300_000;

/**
 * How the waves of an application see a child Application: done once it has deployed what it wants now. Undefined, as for
 * any kind without health, where nobody brings it there by himself: waiting for it might have no end.
 */
export function childHealth({ child, project, nowMs }: ChildInput): HealthStatus | undefined {
  const { metadata, status, operation } = child;
  const conditions = new Map((status?.conditions ?? []).map((one) => [one.type, one]));
  if (!isAutomated(child) || isSkipped(metadata.annotations) || conditions.has("DependencyWarning"))
    return undefined;
  const problem = conditions.get("InvalidSpecError") ?? conditions.get("NotHonouredError");
  if (problem) return health("Degraded", problem.message);
  const phase = status?.operationState?.phase;
  const isBusy = operation !== undefined || phase === "Running" || phase === "Terminating";
  const isHeld =
    project && !canSync({ project, subject: windowSubject(child), nowMs, manual: false }).canSync;
  if (isHeld) return undefined;
  const failure = conditions.get("ComparisonError");
  if (failure) {
    const since = parseTime(failure.lastTransitionTime) ?? nowMs;
    return health(nowMs - since > comparisonGraceMs ? "Degraded" : "Progressing", failure.message);
  }
  if (isBusy) return health("Progressing", "it is being synced");
  if (!isCompared(child) || isToBeLookedAt(child, nowMs))
    return health("Progressing", "it has not looked at what it wants now");
  const prunes = conditions.has("PruneHeldWarning") ? { prunes: "held" as const } : {};
  const next = decideAutoSync({ app: child, nowMs, ...prunes });
  if (next.kind === "error") return health("Degraded", next.message);
  if (next.kind !== "none") return health("Progressing", `it is to be synced: ${next.because}`);
  const found = status?.health;
  // What somebody took away, and nothing makes anew.
  return found?.status === "Missing"
    ? undefined
    : (found ?? health("Progressing", "its health is not known"));
}

/** Times are whole seconds: what was found in the second in which a sync ended may be of before. */
const lookMs = 20_000;

/** What is said of it is of before its last sync. */
function isToBeLookedAt({ status }: Application, nowMs: number): boolean {
  const { finishedAt, phase } = status?.operationState ?? {};
  const finishedMs = parseTime(finishedAt);
  if (finishedMs === undefined) return false;
  const foundMs = parseTime(status?.reconciledAt) ?? 0;
  const mayBeOfBefore = phase === "Succeeded" && status?.sync?.status === "OutOfSync";
  return foundMs < finishedMs || (mayBeOfBefore && nowMs - finishedMs < lookMs);
}
