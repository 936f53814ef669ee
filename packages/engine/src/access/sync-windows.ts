import { matchesGlob, parseDuration } from "@capstan/formats";
import type { Application, AppProject, SyncWindow } from "@capstan/model";
import { Cron } from "croner";

/** An application as windows look at it. */
export interface WindowSubject {
  name: string;
  /** As written in the application, both of them. */
  clusters: readonly string[];
  namespace: string;
}

export function windowSubject({ metadata, spec }: Application): WindowSubject {
  const { server, name, namespace } = spec.destination;
  return {
    name: metadata.name,
    clusters: [server ?? "", name ?? ""].filter((cluster) => cluster !== ""),
    namespace: namespace ?? "",
  };
}

/** Windows that concern an application: one hit is enough, with andOperator every list that is given must hit. */
export function matchingWindows({ spec }: AppProject, subject: WindowSubject): SyncWindow[] {
  return (spec.syncWindows ?? []).filter((window) => {
    const hits: boolean[] = [];
    const { applications, clusters, namespaces } = window;
    if (applications?.length) hits.push(applications.some((glob) => matchesGlob(glob, subject.name)));
    if (clusters?.length) {
      hits.push(clusters.some((glob) => subject.clusters.some((cluster) => matchesGlob(glob, cluster))));
    }
    if (namespaces?.length) hits.push(namespaces.some((glob) => matchesGlob(glob, subject.namespace)));
    return window.andOperator === true ? hits.length > 0 && hits.every(Boolean) : hits.some(Boolean);
  });
}

/** What is wrong with a window, if it cannot be read. */
export function unreadableWindow(window: SyncWindow): string | undefined {
  const state = isWindowActive(window, 0);
  return typeof state === "object" ? state.problem : undefined;
}

/** Whether a window is open at a time; a text when its schedule, duration or zone cannot be read. */
export function isWindowActive(window: SyncWindow, atMs: number): boolean | { problem: string } {
  const durationMs = parseDuration(window.duration ?? "");
  if (durationMs === undefined)
    return { problem: `duration "${window.duration ?? ""}" is not a Go duration such as 1h30m` };
  const schedule = window.schedule ?? "";
  if (schedule.trim().split(/\s+/).length !== 5) {
    return { problem: `schedule "${schedule}" is not a cron expression of five fields` };
  }
  const timezone = zoneOf(window);
  if (timezone === undefined) {
    return {
      problem: `time zone "${window.timeZone ?? ""}" is not known; name it as the IANA does, such as Europe/Berlin`,
    };
  }
  try {
    // Cron walks wall-clock time of the zone: the window is open when it has begun within its duration.
    const cron = new Cron(schedule, { timezone, paused: true });
    const next = cron.nextRun(new Date(atMs - durationMs));
    return next !== null && next.getTime() <= atMs;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problem: `schedule "${schedule}" cannot be read: ${problem}` };
  }
}

/** Argo CD takes an unknown zone for UTC: a window meant for the night would then be open by day. */
function zoneOf({ timeZone }: SyncWindow): string | undefined {
  if (timeZone === undefined || timeZone === "") return "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export interface SyncWindowInput {
  project: AppProject;
  subject: WindowSubject;
  nowMs: number;
  manual: boolean;
  /** When the operation began, if it has. */
  startedAtMs?: number;
}

export interface SyncWindowVerdict {
  canSync: boolean;
  /** Why not. */
  reason: string;
  active: SyncWindow[];
  assigned: SyncWindow[];
}

/** Argo CD: pkg/apis/application/v1alpha1/types.go SyncWindows.CanSync. */
export function canSync(input: SyncWindowInput): SyncWindowVerdict {
  const assigned = matchingWindows(input.project, input.subject);
  const now = split(assigned, input.nowMs);
  const verdict = { active: now.active, assigned };
  if (now.problem !== undefined) return { ...verdict, canSync: false, reason: `sync window: ${now.problem}` };
  const allowed = decide(assigned, now.active, input);
  if (allowed) return { ...verdict, canSync: true, reason: "" };
  const names = now.active.filter(({ kind }) => kind === "deny").map(describeWindow);
  const reason =
    names.length > 0
      ? `blocked by sync window: ${names.join(", ")}`
      : `outside of its sync windows: ${assigned
          .filter(({ kind }) => kind === "allow")
          .map(describeWindow)
          .join(", ")}`;
  return { ...verdict, canSync: false, reason };
}

function split(windows: readonly SyncWindow[], atMs: number): { active: SyncWindow[]; problem?: string } {
  const active: SyncWindow[] = [];
  for (const window of windows) {
    const state = isWindowActive(window, atMs);
    if (typeof state === "object") return { active, problem: state.problem };
    if (state) active.push(window);
  }
  return { active };
}

function decide(
  assigned: readonly SyncWindow[],
  active: readonly SyncWindow[],
  input: SyncWindowInput,
): boolean {
  if (assigned.length === 0) return true;
  const denies = active.filter(({ kind }) => kind === "deny");
  if (denies.length > 0) return isExcused(denies, assigned, input);
  if (active.some(({ kind }) => kind === "allow")) return true;
  const allows = assigned.filter(({ kind }) => kind === "allow");
  return allows.length === 0 || isExcused(allows, assigned, input);
}

/** Manual syncs where all windows permit them, and syncs that began while they were allowed. */
function isExcused(
  windows: readonly SyncWindow[],
  assigned: readonly SyncWindow[],
  input: SyncWindowInput,
): boolean {
  if (input.manual && windows.every(({ manualSync }) => manualSync === true)) return true;
  const { startedAtMs } = input;
  if (startedAtMs === undefined || !windows.every(({ syncOverrun }) => syncOverrun === true)) return false;
  const then = split(assigned, startedAtMs);
  if (then.problem !== undefined) return false;
  const { startedAtMs: _begun, ...without } = input;
  return decide(assigned, then.active, without);
}

function describeWindow({ kind, schedule, duration }: SyncWindow): string {
  return `${kind ?? ""} "${schedule ?? ""}" for ${duration ?? ""}`;
}
