import { floorSeconds, formatGoTime } from "@capstan/formats";
import { formatInt, formatText, pad, type Verb } from "./format-scalars.ts";
import type { GoTime, GoVersion } from "./value.ts";

/** A field by a verb, or that the verb does not fit it. */
function formatField(how: Verb, type: string, print: (how: Verb) => string | undefined): string {
  return print(how) ?? `%!${how.verb}(${type}=${print({ ...how, verb: "v" }) ?? ""})`;
}

/** The struct itself: of the verbs that do not fit a text, no value says itself what it is. */
export function formatVersion(version: GoVersion, how: Verb): string {
  const { isGoSyntax } = how;
  const ofNumbers: Verb = isGoSyntax ? { ...how, verb: "x", flags: `${how.flags}#` } : how;
  const number = (value: number): string =>
    formatField(ofNumbers, "uint64", (one) => formatInt(BigInt(value), one));
  const { major, minor, patch, prerelease: pre, metadata, original } = version;
  const fields = Object.entries({ major, minor, patch, pre, metadata, original }).map(([name, value]) => {
    const text =
      typeof value === "number" ? number(value) : formatField(how, "string", (one) => formatText(value, one));
    return isGoSyntax ? `${name}:${text}` : text;
  });
  return isGoSyntax ? `&semver.Version{${fields.join(", ")}}` : `&{${fields.join(" ")}}`;
}

/** From the year 1, where Go begins to count, to 1970. */
const secondsBefore1970 = 62_135_596_800n;

/** The fields of time.Time as they are kept: nanoseconds, seconds since the year 1, and where its zone lies. */
export function formatTime({ nanoseconds, location }: GoTime, how: Verb): string {
  const seconds = floorSeconds(nanoseconds);
  const fields = [
    formatField(how, "uint64", (one) => formatInt(nanoseconds - seconds * 1_000_000_000n, one)),
    formatField(how, "int64", (one) => formatInt(seconds + secondsBefore1970, one)),
    formatField(how, "*time.Location", (one) => formatZone(location, one)),
  ];
  return `{${fields.join(" ")}}`;
}

/** UTC is nil. Go shows the others by an address, which differs with each run of its program: here it is 0. */
function formatZone(location: string, how: Verb): string | undefined {
  if (/[bodxX]/.test(how.verb)) return formatInt(0n, how);
  return how.verb === "v" ? pad(location === "UTC" ? "<nil>" : "0x0", how) : undefined;
}

/** time.Time's GoString. */
export function timeInSource(value: GoTime): string {
  const { location, nanoseconds } = value;
  const [year, month, day, hour, minute, second] = formatGoTime(value.clock(), "2006 January 2 15 4 5").split(
    " ",
  );
  const rest = [
    ...[day, hour, minute, second].map(Number),
    nanoseconds - floorSeconds(nanoseconds) * 1_000_000_000n,
  ];
  const zone = location === "" ? 'time.Location("")' : `time.${location}`;
  return `time.Date(${[Number(year), `time.${month}`, ...rest].join(", ")}, ${zone})`;
}
