import type { Clock } from "./layout.ts";
import type { Zone } from "./zone.ts";

const second = 1_000_000_000n;

/** Whole seconds since 1970, rounded down, of nanoseconds since then. */
export const floorSeconds = (nanoseconds: bigint): bigint =>
  (nanoseconds - (((nanoseconds % second) + second) % second)) / second;

/** What a clock of the zone shows at a moment, given in nanoseconds since 1970. */
export function clockAt(nanoseconds: bigint, zone: Zone): Clock {
  const ms = Number(floorSeconds(nanoseconds)) * 1_000;
  const { seconds, name } = zone.offsetAt(ms);
  const there = new Date(ms + seconds * 1_000);
  return {
    year: there.getUTCFullYear(),
    month: there.getUTCMonth() + 1,
    day: there.getUTCDate(),
    hour: there.getUTCHours(),
    minute: there.getUTCMinutes(),
    second: there.getUTCSeconds(),
    nanosecond: Number(((nanoseconds % second) + second) % second),
    weekday: there.getUTCDay(),
    offset: seconds,
    zone: name,
  };
}

/** The moment of a clock's reading; parts may overflow into the next larger ones. Nothing beyond what a Date holds. */
export function nanosecondsOf(clock: Partial<Clock>, zone: Zone): bigint | undefined {
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, nanosecond = 0 } = clock;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, clock.second ?? 0);
  const local = date.getTime();
  if (Number.isNaN(local)) return undefined;
  const guess = zone.offsetAt(local).seconds;
  const { seconds } = zone.offsetAt(local - guess * 1_000);
  return BigInt(local - seconds * 1_000) * 1_000_000n + BigInt(nanosecond);
}
