import {
  fixedZone,
  GoTimeError,
  nanosecondsOf,
  parseGoTime,
  parseNanoseconds,
  utc,
  type Zone,
  zoneOf,
} from "@capstan/formats";
import { ExprError } from "../expr-error.ts";
import { toText } from "../values/operators.ts";
import { ExprDuration, ExprTime, ExprZone, type Value } from "../values/value.ts";
import { type Definitions, define } from "./definition.ts";

/** In which a date without a layout may stand. */
const layouts = [
  "2006-01-02",
  "15:04:05",
  "2006-01-02 15:04:05",
  "2006-01-02T15:04:05Z07:00",
  "02 Jan 06 15:04 MST",
  "Monday, 02-Jan-06 15:04:05 MST",
  "Mon, 02 Jan 2006 15:04:05 MST",
];

export const dateFunctions: Definitions = {
  now: define([0, 1], ([zone], { nowMs }) => {
    if (zone !== undefined && !(zone instanceof ExprZone))
      throw new ExprError("now: its argument is no timezone");
    return new ExprTime(BigInt(Math.trunc(nowMs())) * 1_000_000n, zone?.zone ?? utc);
  }),
  duration: define(1, ([value = null]) => {
    const nanoseconds = parseNanoseconds(toText(value));
    if (nanoseconds === undefined) throw new ExprError(`time: invalid duration ${JSON.stringify(value)}`);
    return new ExprDuration(nanoseconds);
  }),
  timezone: define(1, ([value = null]) => new ExprZone(zoneNamed(toText(value)))),
  date: define([1, 4], (given) => {
    const [zone, values] =
      given[0] instanceof ExprZone ? [given[0].zone, given.slice(1)] : [undefined, given];
    const [text = null, layout, name] = values;
    const within = name === undefined ? zone : zoneNamed(toText(name));
    for (const one of layout === undefined ? layouts : [toText(layout)]) {
      const found = tryRead(toText(text), one, within);
      if (found) return found;
    }
    throw new ExprError(`invalid date ${toText(text)}`);
  }),
};

function zoneNamed(name: string): Zone {
  const zone = zoneOf(name);
  if (!zone) throw new ExprError(`unknown time zone ${name}`);
  return zone;
}

function read(text: string, layout: string, within: Zone | undefined): Value {
  const parsed = parseGoTime(text, layout);
  const zone = parsed.hasZone ? fixedZone(parsed.offset ?? 0) : (within ?? utc);
  const nanoseconds = nanosecondsOf(parsed, zone);
  if (nanoseconds === undefined) throw new ExprError(`invalid date ${text}`);
  return new ExprTime(nanoseconds, zone);
}

function tryRead(text: string, layout: string, within: Zone | undefined): Value | undefined {
  try {
    return read(text, layout, within);
  } catch (error) {
    if (error instanceof GoTimeError) return undefined;
    throw error;
  }
}
