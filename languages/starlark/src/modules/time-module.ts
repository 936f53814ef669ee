import {
  type Clock,
  clockAt,
  fixedZone,
  floorSeconds,
  formatGoTime,
  GoTimeError,
  nanosecondsOf,
  type ParsedTime,
  parseGoTime,
  utc,
  type Zone,
  zoneOf,
} from "@capstan/formats";
import { type Arguments, native } from "../builtins/arguments.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { toBytes, toText } from "../values/utf8.ts";
import { type Key, StarObject, type Value } from "../values/value.ts";
import { Duration } from "./duration.ts";

const second = 1_000_000_000n;

/** A moment in a zone (go.starlark.net/lib/time). */
class Time extends StarObject {
  readonly type = "time.time";
  readonly nanoseconds: bigint;
  readonly #zone: Zone;

  constructor(nanoseconds: bigint, zone: Zone) {
    super();
    this.nanoseconds = nanoseconds;
    this.#zone = zone;
  }

  repr(): string {
    return formatGoTime(this.#clock(), "2006-01-02 15:04:05.999999999 -0700 MST");
  }

  /** The moment at which Go's clock begins is false. */
  override truth(): boolean {
    return floorSeconds(this.nanoseconds) !== -62_135_596_800n;
  }

  override key(): Key {
    return `\u0100t${this.nanoseconds}`;
  }

  override json(): string {
    return `"${formatGoTime(this.#clock(), "2006-01-02T15:04:05.999999999Z07:00")}"`;
  }

  override attributeNames(): string[] {
    return [...fields, "format", "in_location", "unix", "unix_nano"];
  }

  override attribute(name: string): Value | undefined {
    if (name === "unix") return floorSeconds(this.nanoseconds);
    if (name === "unix_nano") return this.nanoseconds;
    if (name === "format")
      return native(name, (args) => toBytes(formatGoTime(this.#clock(), toText(args.take(1).text(0)))));
    if (name === "in_location")
      return native(name, (args) => new Time(this.nanoseconds, namedZone(args.take(1).text(0))));
    const field = fields.find((one) => one === name);
    return field && BigInt(this.#clock()[field]);
  }

  override equals(other: StarObject): boolean {
    return other instanceof Time && other.nanoseconds === this.nanoseconds;
  }

  override order(other: StarObject): number | undefined {
    return other instanceof Time ? Number(this.nanoseconds - other.nanoseconds) : undefined;
  }

  override binary(operator: string, other: Value, isLeft: boolean): Value | undefined {
    if (operator === "+" && other instanceof Duration)
      return new Time(this.nanoseconds + other.nanoseconds, this.#zone);
    if (operator !== "-" || !isLeft) return undefined;
    if (other instanceof Time) return new Duration(this.nanoseconds - other.nanoseconds);
    return other instanceof Duration ? new Time(this.nanoseconds - other.nanoseconds, this.#zone) : undefined;
  }

  #clock(): Clock {
    return clockAt(this.nanoseconds, this.#zone);
  }
}

const fields = ["year", "month", "day", "hour", "minute", "second", "nanosecond"] as const;

function momentOf(clock: Partial<Clock>, zone: Zone): Time {
  const nanoseconds = nanosecondsOf(clock, zone);
  if (nanoseconds === undefined) throw new StarlarkError("time: out of range");
  return new Time(nanoseconds, zone);
}

function namedZone(name: string): Zone {
  const zone = zoneOf(name);
  if (!zone) throw new StarlarkError(`unknown time zone ${name}`);
  return zone;
}

const units = { nanosecond: 1n, microsecond: 1_000n, millisecond: 1_000_000n, second, minute: 60n * second };

export const timeModule = new Module("time", [
  ["now", native("now", (args) => new Time(BigInt(Math.trunc(args.take(0).host.nowMs)) * 1_000_000n, utc))],
  ["from_timestamp", native("from_timestamp", fromTimestamp)],
  ["is_valid_timezone", native("is_valid_timezone", isValidTimezone)],
  ["parse_duration", native("parse_duration", parseDuration)],
  ["parse_time", native("parse_time", readTime)],
  ["time", native("time", makeTime)],
  ...Object.entries(units).map(([name, size]) => [name, new Duration(size)] as const),
  ["hour", new Duration(3_600n * second)],
]);

function fromTimestamp(args: Arguments): Value {
  const nanoseconds = args.take(1, 2).int(1, 0);
  return new Time(BigInt(args.int(0)) * second + BigInt(nanoseconds), utc);
}

function isValidTimezone(args: Arguments): Value {
  return zoneOf(args.take(1).text(0)) !== undefined;
}

function parseDuration(args: Arguments): Value {
  const value = args.take(1).value(0);
  if (value instanceof Duration) return value;
  return Duration.parse(toText(args.text(0)));
}

function readTime(args: Arguments): Value {
  const text = args.fit("x", "format?", "location?").text(0);
  const layout = args.text(1, "2006-01-02T15:04:05Z07:00");
  const zone = namedZone(args.text(2, "UTC"));
  const parsed = readLayout(toText(text), toText(layout));
  return momentOf(parsed, parsed.hasZone ? fixedZone(parsed.offset ?? 0) : zone);
}

function readLayout(text: string, layout: string): ParsedTime {
  try {
    return parseGoTime(text, layout);
  } catch (error) {
    if (error instanceof GoTimeError) throw new StarlarkError(error.message);
    throw error;
  }
}

function makeTime(args: Arguments): Value {
  args.fit(...fields.map((field) => `${field}?`), "location?");
  if (args.positional.length > 0) throw args.error("unexpected positional arguments");
  const clock: Partial<Clock> = {};
  for (const [index, field] of fields.entries()) clock[field] = args.int(index, 0);
  return momentOf(clock, namedZone(args.text(fields.length, "")));
}
