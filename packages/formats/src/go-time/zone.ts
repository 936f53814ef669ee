/** Seconds east of Greenwich at a moment, and the zone's short name then. */
export interface Zone {
  offsetAt: (ms: number) => { seconds: number; name: string };
}

export const utc: Zone = { offsetAt: () => ({ seconds: 0, name: "UTC" }) };

export const fixedZone = (seconds: number): Zone =>
  seconds === 0 ? utc : { offsetAt: () => ({ seconds, name: showOffset(seconds, "") }) };

/** `+02:00`. */
export function showOffset(seconds: number, separator: string): string {
  const minutes = Math.abs(Math.trunc(seconds / 60));
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${seconds < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}${separator}${two(minutes % 60)}`;
}

/** A zone of the tz database; nothing where there is none of that name. */
export function zoneOf(name: string): Zone | undefined {
  if (name === "" || name === "UTC") return utc;
  const offsets = formatOf(name, "longOffset");
  const names = formatOf(name, "short");
  if (!offsets || !names) return undefined;
  const part = (format: Intl.DateTimeFormat, ms: number): string =>
    format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return {
    offsetAt(ms) {
      const [, sign, hours, minutes] = /([+-])(\d+):(\d+)/.exec(part(offsets, ms)) ?? [];
      const seconds = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60;
      return { seconds: sign === "-" ? -seconds : seconds, name: part(names, ms) };
    },
  };
}

function formatOf(timeZone: string, timeZoneName: "longOffset" | "short"): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
