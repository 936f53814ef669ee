import { parseDuration } from "@capstan/formats";
import type { SyncWindow } from "@capstan/model";
import { Cron } from "croner";

export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** More openings than this within the time shown are one long one to the eye. */
const mostSpans = 200;

/** When a window is open within a span of time, or why that cannot be said; read as the controller reads it. */
export function windowTimes(
  { schedule = "", duration = "", timeZone }: SyncWindow,
  { fromMs, untilMs }: Span,
): Span[] | { problem: string } {
  const lastsMs = parseDuration(duration);
  if (lastsMs === undefined) return { problem: `"${duration}" is no duration such as 1h30m` };
  try {
    const cron = new Cron(schedule, { timezone: timeZone || "UTC", paused: true });
    const spans: Span[] = [];
    let at = cron.nextRun(new Date(fromMs - lastsMs));
    while (at !== null && at.getTime() < untilMs && spans.length < mostSpans) {
      const begins = at.getTime();
      spans.push({ fromMs: Math.max(begins, fromMs), untilMs: Math.min(begins + lastsMs, untilMs) });
      at = cron.nextRun(at);
    }
    return spans;
  } catch (failure) {
    return { problem: failure instanceof Error ? failure.message : String(failure) };
  }
}
