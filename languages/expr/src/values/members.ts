import { clockAt, floorSeconds, formatGoTime } from "@capstan/formats";
import { ExprError } from "../expr-error.ts";
import { keyOf, toInteger, toText } from "./operators.ts";
import {
  ExprDuration,
  ExprFunction,
  ExprMap,
  ExprNamed,
  ExprTime,
  ExprZone,
  isList,
  printValue,
  typeOf,
  type Value,
} from "./value.ts";

/** runtime.Fetch: of a map nothing where it has no such key; of anything else a failure. */
export function fetchMember(from: Value, key: Value): Value {
  if (from instanceof ExprMap) return from.entries.get(keyOf(from, key)) ?? from.absent;
  if (typeof key === "string") {
    const method = methodOf(from, key);
    if (method) return method;
  }
  const length = lengthOf(from);
  if (length === undefined) throw new ExprError(`cannot fetch ${printValue(key)} from ${typeOf(from)}`);
  const given = toInteger(key);
  const index = given < 0 ? length + given : given;
  if (index < 0 || index >= length)
    throw new ExprError(`index out of range: ${index} (array length is ${length})`);
  return elementAt(from, index);
}

/** Of lists, and bytes of texts. */
export function lengthOf(value: Value): number | undefined {
  if (isList(value)) return value.length;
  return typeof value === "string" ? Buffer.byteLength(value) : undefined;
}

export function elementAt(value: Value, index: number): Value {
  if (isList(value)) return value[index] ?? null;
  return BigInt(Buffer.from(toText(value))[index] ?? 0);
}

/** runtime.Slice: ends beyond it are its own. */
export function sliceOf(value: Value, from: number, to: number | undefined): Value {
  const length = lengthOf(value);
  if (length === undefined) throw new ExprError(`cannot slice ${typeOf(value)}`);
  const inside = (at: number) => Math.min(length, Math.max(0, at < 0 ? length + at : at));
  const end = inside(to ?? length);
  const start = Math.min(inside(from), end);
  if (isList(value)) return value.slice(start, end);
  return Buffer.from(toText(value)).subarray(start, end).toString();
}

type Method<Of> = (of: Of, values: readonly Value[]) => Value;

const perDay = 86_400n * 1_000_000_000n;

const timeMethods: Readonly<Record<string, Method<ExprTime>>> = {
  Year: (time) => BigInt(clockOf(time).year),
  Month: (time) => ExprNamed.of("time.Month", clockOf(time).month, formatGoTime(clockOf(time), "January")),
  Day: (time) => BigInt(clockOf(time).day),
  Hour: (time) => BigInt(clockOf(time).hour),
  Minute: (time) => BigInt(clockOf(time).minute),
  Second: (time) => BigInt(clockOf(time).second),
  Nanosecond: (time) => BigInt(clockOf(time).nanosecond),
  Weekday: (time) =>
    ExprNamed.of("time.Weekday", clockOf(time).weekday, formatGoTime(clockOf(time), "Monday")),
  YearDay: (time) => {
    const { year, month, day } = clockOf(time);
    return BigInt((Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / 86_400_000 + 1);
  },
  Unix: ({ nanoseconds }) => floorSeconds(nanoseconds),
  UnixMilli: ({ nanoseconds }) => BigInt.asIntN(64, nanoseconds / 1_000_000n),
  UnixNano: ({ nanoseconds }) => BigInt.asIntN(64, nanoseconds),
  IsZero: ({ nanoseconds }) => nanoseconds === -62_135_596_800n * 1_000_000_000n,
  Format: (time, [layout = null]) => formatGoTime(clockOf(time), toText(layout)),
  String: (time) => printValue(time),
  UTC: ({ nanoseconds }) => new ExprTime(nanoseconds, { offsetAt: () => ({ seconds: 0, name: "UTC" }) }),
  In: ({ nanoseconds }, [zone = null]) => {
    if (!(zone instanceof ExprZone)) throw new ExprError("In: a timezone is missing");
    return new ExprTime(nanoseconds, zone.zone);
  },
  Add: ({ nanoseconds, zone }, [by = null]) => new ExprTime(nanoseconds + spanOf(by), zone),
  Sub: ({ nanoseconds }, [other = null]) => new ExprDuration(nanoseconds - momentOf(other)),
  After: ({ nanoseconds }, [other = null]) => nanoseconds > momentOf(other),
  Before: ({ nanoseconds }, [other = null]) => nanoseconds < momentOf(other),
  Equal: ({ nanoseconds }, [other = null]) => nanoseconds === momentOf(other),
  AddDate: ({ nanoseconds, zone }, values) => {
    const [years = 0, months = 0, days = 0] = values.map(toInteger);
    const inDay = ((nanoseconds % perDay) + perDay) % perDay;
    const date = new Date(Number((nanoseconds - inDay) / 1_000_000n));
    date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days);
    if (Number.isNaN(date.getTime())) throw new ExprError("AddDate: the date is too far away");
    return new ExprTime(BigInt(date.getTime()) * 1_000_000n + inDay, zone);
  },
};

const durationMethods: Readonly<Record<string, Method<ExprDuration>>> = {
  Hours: ({ nanoseconds }) => Number(nanoseconds) / 3.6e12,
  Minutes: ({ nanoseconds }) => Number(nanoseconds) / 6e10,
  Seconds: ({ nanoseconds }) => Number(nanoseconds) / 1e9,
  Milliseconds: ({ nanoseconds }) => nanoseconds / 1_000_000n,
  Microseconds: ({ nanoseconds }) => nanoseconds / 1_000n,
  Nanoseconds: ({ nanoseconds }) => nanoseconds,
  Abs: ({ nanoseconds }) => new ExprDuration(nanoseconds < 0n ? -nanoseconds : nanoseconds),
  String: (duration) => printValue(duration),
};

function methodOf(of: Value, name: string): ExprFunction | undefined {
  if (of instanceof ExprTime && Object.hasOwn(timeMethods, name))
    return new ExprFunction((values) => timeMethods[name]?.(of, values) ?? null);
  if (of instanceof ExprDuration && Object.hasOwn(durationMethods, name))
    return new ExprFunction((values) => durationMethods[name]?.(of, values) ?? null);
  return undefined;
}

const clockOf = ({ nanoseconds, zone }: ExprTime) => clockAt(nanoseconds, zone);

function momentOf(value: Value): bigint {
  if (!(value instanceof ExprTime)) throw new ExprError(`${typeOf(value)} is no time`);
  return value.nanoseconds;
}

function spanOf(value: Value): bigint {
  if (!(value instanceof ExprDuration)) throw new ExprError(`${typeOf(value)} is no duration`);
  return value.nanoseconds;
}
