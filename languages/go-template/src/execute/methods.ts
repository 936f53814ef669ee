import { formatGoTime, printNanoseconds, utc } from "@capstan/formats";
import { type GoCallable, GoInt, GoStruct, GoTime, GoVersion, type Value } from "../values/value.ts";
import { define, type GoFunction, type GoFunctions } from "./functions.ts";

/** The methods that a template may call on a value, as on Go's. */
export function methodOf(value: Value, name: string): GoFunction | undefined {
  if (value instanceof GoStruct) {
    const method = value.methods.get(name);
    return method && functionOf(method);
  }
  const methods = methodsOf(value);
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

function methodsOf(value: Value): GoFunctions {
  if (value instanceof GoTime) return timeMethods(value);
  if (value instanceof GoVersion) return versionMethods(value);
  return value instanceof GoInt && value.type === "time.Duration" ? durationMethods(value) : {};
}

/** What the data gives, as the template's own functions are. */
export function functionOf({ parameters, run }: GoCallable): GoFunction {
  return { parameters: Array(parameters).fill("string"), run: (texts) => run(texts.map(String)) };
}

const get = (value: () => Value): GoFunction => define([], value);
const int = (value: () => number | bigint): GoFunction => define([], () => new GoInt(value()));

/** time.Time, without what needs values that no function gives. */
function timeMethods(time: GoTime): GoFunctions {
  const clock = (): ReturnType<GoTime["clock"]> => time.clock();
  return {
    Year: int(() => clock().year),
    Month: get(() => new GoInt(clock().month, "time.Month")),
    Day: int(() => clock().day),
    Hour: int(() => clock().hour),
    Minute: int(() => clock().minute),
    Second: int(() => clock().second),
    Nanosecond: int(() => clock().nanosecond),
    Weekday: get(() => new GoInt(clock().weekday, "time.Weekday")),
    YearDay: int(() => yearDay(clock())),
    Unix: get(() => new GoInt(time.nanoseconds / 1_000_000_000n, "int64")),
    UnixMilli: get(() => new GoInt(time.nanoseconds / 1_000_000n, "int64")),
    UnixNano: get(() => new GoInt(time.nanoseconds, "int64")),
    UTC: get(() => new GoTime(time.nanoseconds, utc)),
    Local: get(() => new GoTime(time.nanoseconds, utc, "Local")),
    IsZero: get(() => time.nanoseconds === -62_135_596_800_000_000_000n),
    String: get(() => formatGoTime(clock(), "2006-01-02 15:04:05.999999999 -0700 MST")),
    Format: define(["string"], ([layout]) => formatGoTime(clock(), layout)),
    Equal: define(["time"], ([other]) => time.nanoseconds === other.nanoseconds),
    Before: define(["time"], ([other]) => time.nanoseconds < other.nanoseconds),
    After: define(["time"], ([other]) => time.nanoseconds > other.nanoseconds),
    Add: define(["duration"], ([by]) => new GoTime(time.nanoseconds + by.value, time.zone, time.location)),
    AddDate: define(["int", "int", "int"], (by) => addDate(time, by)),
    Sub: define(["time"], ([other]) => printNanoseconds(time.nanoseconds - other.nanoseconds)),
  };
}

/** time.Duration, without Round and Truncate. */
function durationMethods({ value }: GoInt): GoFunctions {
  const whole = (unit: bigint): GoFunction => get(() => new GoInt(value / unit, "int64"));
  return {
    Hours: get(() => Number(value) / 3.6e12),
    Minutes: get(() => Number(value) / 6e10),
    Seconds: get(() => Number(value) / 1e9),
    Milliseconds: whole(1_000_000n),
    Microseconds: whole(1_000n),
    Nanoseconds: whole(1n),
    Abs: get(() => new GoInt(value < 0n ? -value : value, "time.Duration")),
    String: get(() => printNanoseconds(value)),
  };
}

function yearDay({ year, month, day }: { year: number; month: number; day: number }): number {
  return (
    Math.round((Date.UTC(2000, month - 1, day) - Date.UTC(2000, 0, 1)) / 86_400_000) +
    1 -
    (month > 2 && !isLeap(year) ? 1 : 0)
  );
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function addDate(time: GoTime, [years, months, days]: readonly [number, number, number]): GoTime {
  const date = new Date(Number(time.nanoseconds / 1_000_000n));
  const rest = time.nanoseconds - BigInt(date.getTime()) * 1_000_000n;
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days);
  if (Number.isNaN(date.getTime())) throw new Error("time: out of range");
  return new GoTime(BigInt(date.getTime()) * 1_000_000n + rest, time.zone, time.location);
}

function versionMethods(version: GoVersion): GoFunctions {
  return {
    Major: get(() => new GoInt(version.major)),
    Minor: get(() => new GoInt(version.minor)),
    Patch: get(() => new GoInt(version.patch)),
    Prerelease: get(() => version.prerelease),
    Metadata: get(() => version.metadata),
    Original: get(() => version.original),
    String: get(() => version.toString()),
  };
}
