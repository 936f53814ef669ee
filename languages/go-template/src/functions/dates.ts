import {
  fixedZone,
  floorSeconds,
  formatGoTime,
  GoTimeError,
  nanosecondsOf,
  parseGoTime,
  parseNanoseconds,
  printNanoseconds,
  utc,
  type Zone,
  zoneOf,
} from "@capstan/formats";
import { type Caller, define, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import { GoInt, GoTime, type Value } from "../values/value.ts";
import { nearestInt64 } from "./numbers.ts";

const second = 1_000_000_000n;
const nowOf = ({ nowMs }: Caller): bigint => BigInt(Math.trunc(nowMs())) * 1_000_000n;

/** sprig's dates (Masterminds/sprig date.go). The local zone is UTC, as in Argo CD's image. */
export const dateFunctions: GoFunctions = {
  now: define([], (_none, caller) => new GoTime(nowOf(caller), utc, "Local")),
  ago: define(["any"], ([date], caller) => {
    const since = nowOf(caller) - momentOf(date, caller);
    return printNanoseconds(((since + second / 2n) / second) * second);
  }),
  date: define(["string", "any"], ([layout, date], caller) => formatIn(layout, momentOf(date, caller), utc)),
  ...twice(
    ["dateInZone", "date_in_zone"],
    define(["string", "any", "string"], ([layout, date, zone], caller) =>
      formatIn(layout, momentOf(date, caller), namedZone(zone, caller)),
    ),
  ),
  htmlDate: define(["any"], ([date], caller) => formatIn("2006-01-02", momentOf(date, caller), utc)),
  htmlDateInZone: define(["any", "string"], ([date, zone], caller) =>
    formatIn("2006-01-02", momentOf(date, caller), namedZone(zone, caller)),
  ),
  ...twice(
    ["dateModify", "date_modify"],
    define(["string", "time"], ([by, date]) => moved(date, parseNanoseconds(by) ?? 0n)),
  ),
  ...twice(
    ["mustDateModify", "must_date_modify"],
    define(["string", "time"], ([by, date]) => {
      const nanoseconds = parseNanoseconds(by);
      if (nanoseconds === undefined) throw new Error(`time: invalid duration ${JSON.stringify(by)}`);
      return moved(date, nanoseconds);
    }),
  ),
  toDate: define(["string", "string"], ([layout, text]) => {
    try {
      return readDate(layout, text);
    } catch (error) {
      if (error instanceof GoTimeError) return new GoTime(-62_135_596_800n * second, utc);
      throw error;
    }
  }),
  mustToDate: define(["string", "string"], ([layout, text]) => readDate(layout, text)),
  unixEpoch: define(["time"], ([date]) => String(floorSeconds(date.nanoseconds))),
  duration: define(["any"], ([value]) => {
    const text = typeof value === "string" ? nearestInt64(value) : 0n;
    return printNanoseconds(BigInt.asIntN(64, (isInt64(value) ? value.value : text) * second));
  }),
  durationRound: define(["any"], ([value], caller) => rounded(lengthOf(value, caller))),
};

function twice(names: readonly [string, string], play: GoFunction): GoFunctions {
  return Object.fromEntries(names.map((name) => [name, play]));
}

const isInt64 = (value: Value): value is GoInt => value instanceof GoInt && value.type === "int64";

/** Times, and seconds as whole numbers; anything else is now. */
function momentOf(date: Value, caller: Caller): bigint {
  if (date instanceof GoTime) return date.nanoseconds;
  return date instanceof GoInt && date.type !== "uint8" ? date.value * second : nowOf(caller);
}

const formatIn = (layout: string, nanoseconds: bigint, zone: Zone): string =>
  formatGoTime(new GoTime(nanoseconds, zone).clock(), layout);

/** Looking up a zone takes some tenths of a millisecond. */
const lookup = 5_000;

function namedZone(name: string, { spend }: Caller): Zone {
  if (name === "" || name === "UTC" || name === "Local") return utc;
  spend(lookup);
  return zoneOf(name) ?? utc;
}

const moved = (date: GoTime, by: bigint): GoTime =>
  new GoTime(date.nanoseconds + by, date.zone, date.location);

function readDate(layout: string, text: string): GoTime {
  const parsed = parseGoTime(text, layout);
  const zone = parsed.hasZone ? fixedZone(parsed.offset ?? 0) : utc;
  const nanoseconds = nanosecondsOf(parsed, zone);
  if (nanoseconds === undefined) throw new GoTimeError(`parsing time ${JSON.stringify(text)}: out of range`);
  const location = parsed.hasZone ? (parsed.offset ? "" : "UTC") : "Local";
  return new GoTime(nanoseconds, zone, location);
}

function lengthOf(value: Value, caller: Caller): bigint {
  if (typeof value === "string") return parseNanoseconds(value) ?? 0n;
  if (value instanceof GoTime) return nowOf(caller) - value.nanoseconds;
  return isInt64(value) ? value.value : 0n;
}

const hour = 3_600n * second;
const units: readonly (readonly [string, bigint])[] = [
  ["y", 24n * 365n * hour],
  ["mo", 24n * 30n * hour],
  ["d", 24n * hour],
  ["h", hour],
  ["m", 60n * second],
  ["s", second],
];

/** In the largest unit that it is longer than. */
function rounded(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const [name, unit] = units.find(([, one]) => size > one) ?? [];
  return name === undefined || unit === undefined ? "0s" : `${size / unit}${name}`;
}
