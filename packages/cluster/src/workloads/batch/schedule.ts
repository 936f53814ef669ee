import { Cron } from "croner";
import { durationMs } from "../simulation.ts";

/** When a CronJob is due. */
export interface Schedule {
  next(afterMs: number): number | undefined;
}

/** As github.com/robfig/cron ParseStandard: five fields or a @descriptor; throws with the parser's reason. */
export function readSchedule(text: string, timeZone: string | undefined): Schedule {
  const every = /^@every\s+(\S+)$/.exec(text.trim());
  if (every) {
    const ms = durationMs(every[1] ?? "");
    if (ms === undefined || ms < 1_000) throw new Error(`failed to parse duration ${text}`);
    const stepMs = Math.floor(ms / 1_000) * 1_000;
    return { next: (afterMs) => afterMs - (afterMs % 1_000) + stepMs };
  }
  const mode = text.trim().startsWith("@") ? "auto" : "5-part";
  const cron = new Cron(text.trim().replaceAll("?", "*"), {
    paused: true,
    mode,
    timezone: timeZone ?? "UTC",
  });
  return { next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() };
}

export interface Due {
  /** The latest time that has come and was not kept; undefined when there is none. */
  dueMs: number | undefined;
  missed: number;
}

/** As pkg/controller/cronjob mostRecentScheduleTime, which estimates rather than counts through long gaps. */
export function dueTime(schedule: Schedule, sinceMs: number, nowMs: number): Due {
  const first = schedule.next(sinceMs);
  if (first === undefined || first > nowMs) return { dueMs: undefined, missed: 0 };
  const second = schedule.next(first);
  if (second === undefined || second > nowMs) return { dueMs: first, missed: 1 };
  const stepMs = Math.max(second - first, 1_000);
  const missed = Math.floor((nowMs - first) / stepMs) + 1;
  let dueMs: number = first;
  let at = schedule.next(first + Math.max(missed - 2, 0) * stepMs);
  for (let steps = 0; at !== undefined && at <= nowMs && steps < 10_000; steps++) {
    dueMs = at;
    at = schedule.next(at);
  }
  return { dueMs, missed };
}
