import { fixedZone, GoTimeError, nanosecondsOf, parseGoTime, utc, type Zone } from "@capstan/formats";

const millisecond = 1_000_000n;

/** Durations of Go's package time, in nanoseconds. */
export const durations: Readonly<Record<string, bigint>> = {
  Nanosecond: 1n,
  Microsecond: 1_000n,
  Millisecond: millisecond,
  Second: 1_000n * millisecond,
  Minute: 60_000n * millisecond,
  Hour: 3_600_000n * millisecond,
};

/** Layouts of Go's package time. */
export const layouts: Readonly<Record<string, string>> = {
  Layout: "01/02 03:04:05PM '06 -0700",
  ANSIC: "Mon Jan _2 15:04:05 2006",
  UnixDate: "Mon Jan _2 15:04:05 MST 2006",
  RubyDate: "Mon Jan 02 15:04:05 -0700 2006",
  RFC822: "02 Jan 06 15:04 MST",
  RFC822Z: "02 Jan 06 15:04 -0700",
  RFC850: "Monday, 02-Jan-06 15:04:05 MST",
  RFC1123: "Mon, 02 Jan 2006 15:04:05 MST",
  RFC1123Z: "Mon, 02 Jan 2006 15:04:05 -0700",
  RFC3339: "2006-01-02T15:04:05Z07:00",
  RFC3339Nano: "2006-01-02T15:04:05.999999999Z07:00",
  Kitchen: "3:04PM",
  Stamp: "Jan _2 15:04:05",
  StampMilli: "Jan _2 15:04:05.000",
  StampMicro: "Jan _2 15:04:05.000000",
  StampNano: "Jan _2 15:04:05.000000000",
};

export interface Moment {
  /** Since 1970. */
  readonly nanoseconds: bigint;
  readonly zone: Zone;
}

/** time.Parse of util/notification/expression/time: RFC 3339 alone. */
export function parseMoment(text: string): Moment {
  const parsed = parseGoTime(text, "2006-01-02T15:04:05Z07:00");
  const zone = fixedZone(parsed.offset ?? 0);
  const nanoseconds = nanosecondsOf(parsed, zone);
  if (nanoseconds === undefined) throw new GoTimeError(`parsing time ${JSON.stringify(text)}: out of range`);
  return { nanoseconds, zone };
}

/** `ms` since 1970. */
export const momentAt = (ms: number): Moment => ({
  nanoseconds: BigInt(Math.trunc(ms)) * millisecond,
  zone: utc,
});
