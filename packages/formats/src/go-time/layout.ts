import { showOffset } from "./zone.ts";

/** A text that is no time of the layout, in Go's words. */
export class GoTimeError extends Error {
  override readonly name = "GoTimeError";
}

/** A moment's parts on the clock of a zone. */
export interface Clock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  weekday: number;
  offset: number;
  zone: string;
}

const months = "January February March April May June July August September October November December".split(
  " ",
);
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** Elements of Go's layouts, longest first. */
const elements =
  /January|Jan|Monday|Mon|MST|2006|Z07:00|Z0700|-07:00|-0700|-07|[.,]0+(?!\d)|[.,]9+(?!\d)|01|02|03|04|05|06|002|15|PM|pm|_2|1|2|3|4|5/g;

const two = (value: number): string => String(value).padStart(2, "0");

/** Go's Time.Format. */
export function formatGoTime(clock: Clock, layout: string): string {
  return layout.replace(elements, (element) => show(element, clock));
}

function show(element: string, clock: Clock): string {
  const hour12 = clock.hour % 12 || 12;
  const plain: Readonly<Record<string, string>> = {
    January: months[clock.month - 1] ?? "",
    Jan: (months[clock.month - 1] ?? "").slice(0, 3),
    Monday: days[clock.weekday] ?? "",
    Mon: (days[clock.weekday] ?? "").slice(0, 3),
    MST: clock.zone,
    "2006": String(clock.year).padStart(4, "0"),
    "06": two(clock.year % 100),
    "01": two(clock.month),
    "1": String(clock.month),
    "02": two(clock.day),
    _2: String(clock.day).padStart(2),
    "2": String(clock.day),
    "15": two(clock.hour),
    "03": two(hour12),
    "3": String(hour12),
    "04": two(clock.minute),
    "4": String(clock.minute),
    "05": two(clock.second),
    "5": String(clock.second),
    PM: clock.hour < 12 ? "AM" : "PM",
    pm: clock.hour < 12 ? "am" : "pm",
    "Z07:00": clock.offset === 0 ? "Z" : showOffset(clock.offset, ":"),
    Z0700: clock.offset === 0 ? "Z" : showOffset(clock.offset, ""),
    "-07:00": showOffset(clock.offset, ":"),
    "-0700": showOffset(clock.offset, ""),
    "-07": showOffset(clock.offset, "").slice(0, 3),
  };
  return plain[element] ?? showFraction(element, clock.nanosecond);
}

function showFraction(element: string, nanosecond: number): string {
  const digits = String(nanosecond)
    .padStart(9, "0")
    .slice(0, element.length - 1);
  if (!element.includes("9")) return `.${digits}`;
  const short = digits.replace(/0+$/, "");
  return short === "" ? "" : `.${short}`;
}

/** What a text says; hasZone: also of its zone. */
export interface ParsedTime extends Partial<Clock> {
  hasZone: boolean;
}

/** Go's time.Parse: what the layout does not name is not set. */
export function parseGoTime(text: string, layout: string): ParsedTime {
  const parsed: ParsedTime = { hasZone: false };
  let at = 0;
  let from = 0;
  for (const { 0: element, index } of layout.matchAll(elements)) {
    literal(layout.slice(from, index));
    from = index + element.length;
    if (/^[.,]/.test(element)) continue;
    const value = take(shapes[element] ?? "\\d{1,2}");
    if (value === "") throw wrong();
    read(element, value, parsed);
    // A fraction may follow the seconds even where the layout has none.
    const fraction = /^0?5$/.test(element) ? take("[.,]\\d+") : "";
    if (fraction !== "") parsed.nanosecond = Number(fraction.slice(1, 10).padEnd(9, "0"));
  }
  literal(layout.slice(from));
  if (at < text.length) throw wrong();
  return parsed;

  function literal(expected: string): void {
    if (!text.startsWith(expected, at)) throw wrong();
    at += expected.length;
  }

  function take(shape: string): string {
    const pattern = new RegExp(shape, "y");
    pattern.lastIndex = at;
    const value = pattern.exec(text)?.[0] ?? "";
    at += value.length;
    return value;
  }

  function wrong(): GoTimeError {
    return new GoTimeError(`parsing time "${text}" as "${layout}": cannot parse "${text.slice(at)}"`);
  }
}

function read(element: string, value: string, parsed: ParsedTime): void {
  const number = Number(value);
  if (element === "2006") parsed.year = number;
  else if (element === "06") parsed.year = number + (number >= 69 ? 1900 : 2000);
  else if (element === "01" || element === "1") parsed.month = number;
  else if (element === "Jan" || element === "January")
    parsed.month = months.findIndex((month) => month.startsWith(value)) + 1;
  else if (/^[0_]?2$/.test(element)) parsed.day = number;
  else if (element === "15" || element === "03" || element === "3") parsed.hour = number;
  else if (element === "04" || element === "4") parsed.minute = number;
  else if (element === "05" || element === "5") parsed.second = number;
  else if (element.toUpperCase() === "PM")
    parsed.hour = ((parsed.hour ?? 0) % 12) + (/^p/i.test(value) ? 12 : 0);
  else if (/^[Z-]/.test(element)) {
    parsed.hasZone = true;
    parsed.offset = offsetOf(value);
  }
}

function offsetOf(value: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(value) ?? [];
  const seconds = Number(hours) * 3_600 + Number(minutes) * 60;
  return sign === "-" ? -seconds : seconds;
}

const shapes: Readonly<Record<string, string>> = {
  January: months.join("|"),
  Jan: months.map((month) => month.slice(0, 3)).join("|"),
  Monday: days.join("|"),
  Mon: days.map((day) => day.slice(0, 3)).join("|"),
  MST: "[A-Z]{3,5}",
  "2006": "\\d{4}",
  "01": "\\d{2}",
  "02": "\\d{2}",
  "04": "\\d{2}",
  "05": "\\d{2}",
  "15": "\\d{2}",
  _2: " ?\\d{1,2}",
  PM: "AM|PM",
  pm: "am|pm",
  "Z07:00": "Z|[+-]\\d{2}:\\d{2}",
  Z0700: "Z|[+-]\\d{4}",
  "-07:00": "[+-]\\d{2}:\\d{2}",
  "-0700": "[+-]\\d{4}",
  "-07": "[+-]\\d{2}",
};
